import { defineTexts } from '../i18n/texts.ts';

export const accountTexts = defineTexts({
  en: {
    signIn: 'Sign in',
    email: 'E-mail address',
    wrong: 'E-mail address, password or code is not right.',
    needsCode: 'Your account has a second factor? Enter its code, too.',
    showCode: 'I have a code',
    invitation: 'Take your invitation',
    invitationHint:
      'Choose how you are called and a password of at least 12 characters. Have an account already? Then enter its password.',
    name: 'Your name',
    accept: 'Take the invitation',
    noInvitation: 'This link holds no invitation. Copy it whole from where you got it.',
    title: 'Your account',
    noTenant: 'You have no role in any tenant yet. Ask an owner to invite you.',
  },
  de: {
    signIn: 'Anmelden',
    email: 'E-Mail-Adresse',
    wrong: 'E-Mail-Adresse, Passwort oder Code stimmt nicht.',
    needsCode: 'Ihr Konto hat einen zweiten Faktor? Geben Sie auch dessen Code ein.',
    showCode: 'Ich habe einen Code',
    invitation: 'Einladung annehmen',
    invitationHint:
      'Wählen Sie Ihren Namen und ein Passwort mit mindestens 12 Zeichen. Sie haben schon ein Konto? Dann geben Sie dessen Passwort ein.',
    name: 'Ihr Name',
    accept: 'Einladung annehmen',
    noInvitation: 'Dieser Link enthält keine Einladung. Kopieren Sie ihn ganz.',
    title: 'Ihr Konto',
    noTenant:
      'Sie haben noch in keinem Mandanten eine Rolle. Bitten Sie einen Inhaber um eine Einladung.',
  },
});
