import type { LanguageTexts } from './en.ts';

/** German, with the informal address: who invites friends is on familiar terms with the product. */
export const texts: LanguageTexts = {
  'launcher.label': 'Freunde einladen',

  'error.unauthorized': 'Dieser Zugang ist nicht berechtigt, das Empfehlungs-Widget zu laden.',
  'error.unavailable': 'Das Empfehlungsprogramm ist gerade nicht erreichbar.',
  'error.retry': 'Erneut versuchen',

  'reward.fixed.one': '{count} Credit',
  'reward.fixed.other': '{count} Credits',
  'reward.percent': '{percent} des Preises in Credits',
  'reward.none': 'Lade Freunde mit deinem persönlichen Link ein.',

  'earn.referrer.signup': 'Du bekommst {reward}, wenn sich jemand über deinen Link anmeldet.',
  'earn.referrer.demo':
    'Du bekommst {reward}, wenn jemand über deinen Link an einer Demo teilnimmt.',
  'earn.referrer.purchase': 'Du bekommst {reward} für jeden Kauf der Eingeladenen.',
  'earn.referrer.firstPurchases.one': 'Du bekommst {reward} für den ersten Kauf der Eingeladenen.',
  'earn.referrer.firstPurchases.other':
    'Du bekommst {reward} für jeden der ersten {count} Käufe der Eingeladenen.',
  'earn.friend.signup': 'Wer deinem Link folgt, bekommt {reward} für die Anmeldung.',
  'earn.friend.demo': 'Wer deinem Link folgt, bekommt {reward} für die Teilnahme an einer Demo.',
  'earn.friend.purchase': 'Wer deinem Link folgt, bekommt {reward} für jeden Kauf.',
  'earn.friend.firstPurchases.one': 'Wer deinem Link folgt, bekommt {reward} für den ersten Kauf.',
  'earn.friend.firstPurchases.other':
    'Wer deinem Link folgt, bekommt {reward} für jeden der ersten {count} Käufe.',

  'earn.tier.one': 'Ab {count} zahlenden Person: {reward}.',
  'earn.tier.other': 'Ab {count} zahlenden Personen: {reward}.',
  'earn.rate': '{amount} zählt als {credits}.',
  'earn.minimum': 'Für Zahlungen ab {amounts}.',
  'earn.intervals': 'Für diese Tarife: {intervals}.',
  'earn.products': 'Für ausgewählte Produkte.',
  'earn.currencies': 'Für Zahlungen in {currencies}.',
  'earn.seats.one': 'Ab {count} Platz.',
  'earn.seats.other': 'Ab {count} Plätzen.',
  'earn.hold.one': 'Gutschrift nach {count} Tag.',
  'earn.hold.other': 'Gutschrift nach {count} Tagen.',

  'interval.oneTime': 'einmalig',
  'interval.weekly': 'wöchentlich',
  'interval.biWeekly': 'alle zwei Wochen',
  'interval.monthly': 'monatlich',
  'interval.quarterly': 'vierteljährlich',
  'interval.semiAnnual': 'halbjährlich',
  'interval.yearly': 'jährlich',
  'interval.biennial': 'alle zwei Jahre',
  'interval.triennial': 'alle drei Jahre',
  'interval.lifetime': 'auf Lebenszeit',

  'newUser.discount': 'Wer deinem Link folgt, spart {percent}.',
  'newUser.discountMonths.one': 'Wer deinem Link folgt, spart {count} Monat lang {percent}.',
  'newUser.discountMonths.other': 'Wer deinem Link folgt, spart {count} Monate lang {percent}.',

  // Das Fenster.
  'panel.title': 'Freunde einladen, Credits sammeln',
  'panel.titleWithoutReward': 'Lade deine Freunde ein',
  'panel.close': 'Schließen',
  'panel.loading': 'Deine Einladung wird geladen …',
  'panel.paused': 'Zurzeit keine Einladungen',
  'panel.pausedText': 'Für dich läuft gerade keine Kampagne. Was du gesammelt hast, bleibt dir.',
  'panel.unauthorized': 'Für dieses Konto nicht verfügbar',
  'panel.unavailable': 'Keine Verbindung',
  'panel.unavailableText': 'Prüfe deine Internetverbindung. Wir versuchen es weiter.',
  'panel.stale': 'Keine Verbindung. Du siehst den letzten bekannten Stand.',

  'invite.label': 'Dein persönlicher Link',
  'invite.copy': 'Kopieren',
  'invite.copied': 'Kopiert',
  'invite.copiedNews': 'Dein Link wurde kopiert.',
  'invite.copyYourself':
    'Dein Link ist markiert. Kopiere ihn mit der Tastatur oder dem Kontextmenü.',

  'share.title': 'Teilen',
  'share.mail': 'E-Mail',
  'share.whatsapp': 'WhatsApp',
  'share.x': 'X',
  'share.linkedin': 'LinkedIn',
  'share.more': 'Mehr',
  'share.newTab': 'öffnet einen neuen Tab',
  'share.subject': 'Eine Einladung für dich',
  'share.message': 'Mir gefällt das, dir vielleicht auch. Hier ist meine Einladung:',
  'share.messageWithDiscount':
    'Mir gefällt das, dir vielleicht auch. Mit meiner Einladung sparst du {percent}:',
  'qr.button': 'QR-Code',
  'qr.image': 'QR-Code deines persönlichen Links',
  'qr.hint': 'Einfach die Kamera darauf richten.',

  'credits.title': 'Deine Prämien',
  'credits.issued': 'Gesammelt',
  'credits.held': 'Vorgemerkt',
  'credits.heldText': 'Vorgemerkte Credits gehören dir, sobald sie bestätigt sind.',
  'credits.toOffset': 'Zu verrechnen',
  'credits.toOffsetText':
    'Zu verrechnen sind Credits, die du schon bekommen hattest und die wieder entfallen sind, zum Beispiel nach einer Erstattung. Sie werden von deinen nächsten Credits abgezogen.',
  'credits.news': 'Gesammelte Credits: {credits}.',

  'referrals.title': 'Deine Empfehlungen',
  'referrals.total.one': '{count} Person',
  'referrals.total.other': '{count} Personen',
  'referrals.signedUp': 'Angemeldet',
  'referrals.demoAttended': 'Demo besucht',
  'referrals.purchased': 'Gekauft',
  'referrals.refunded': 'Erstattet',
  'referrals.someone': 'Jemand',
  'referrals.showAll': 'Alle {total} zeigen',
  'referrals.showLess': 'Weniger zeigen',
  'referrals.latestOnly': 'Die neuesten {shown} von {total} werden gezeigt.',
  'referrals.empty': 'Deine erste Empfehlung erscheint hier',
  'referrals.emptyText': 'Teile deinen Link. Wer sich darüber anmeldet, erscheint in dieser Liste.',

  'how.title': 'So funktioniert es',
  'how.share': 'Link teilen',
  'how.shareText': 'Schicke ihn an alle, denen es gefallen wird.',
  'how.join': 'Freunde melden sich an',
  'how.joinText': 'Sie folgen deinem Link und melden sich an.',
  'how.earn': 'Die Prämien folgen',
};
