import type { Role } from '@tributary/contracts/admin/rights';

/** What somebody is told of that was changed about how they sign in. */
export type NoticeKind =
  | 'password-changed'
  | 'authenticator-added'
  | 'authenticator-removed'
  | 'recovery-codes-renewed'
  | 'passkey-added'
  | 'passkey-removed'
  | 'passkey-suspended'
  | 'single-sign-on-linked';

export type MailText = { subject: string; text: string };

const told: Readonly<Record<NoticeKind, string>> = {
  'password-changed': 'Your password was changed, and every other session was ended.',
  'authenticator-added': 'An authenticator was added: signing in takes a code of it now.',
  'authenticator-removed': 'The authenticator was removed.',
  'recovery-codes-renewed': 'New recovery codes were made; the ones before are worthless.',
  'passkey-added': 'A passkey was added: it signs in without your password.',
  'passkey-removed': 'A passkey was removed.',
  'passkey-suspended':
    'A passkey was suspended: it was used as if there were a copy of it. Remove it, and add another one.',
  'single-sign-on-linked':
    'Your account was linked to single sign-on. Its password, passkeys and authenticator hold no more, and every other session was ended.',
};

export function noticeMail(kind: NoticeKind, at: Date, publicUrl: string): MailText {
  return {
    subject: 'How you sign in to Tributary was changed',
    text: [
      told[kind],
      '',
      `When: ${at.toISOString()}`,
      `Where: ${publicUrl}`,
      '',
      'If it was not you, change your password, end all sessions and tell whoever runs this system.',
      '',
    ].join('\n'),
  };
}

export function invitationMail(about: {
  tenantId: string | null;
  role: Role;
  link: string;
  expiresAt: Date;
}): MailText {
  const { tenantId, role, link, expiresAt } = about;
  const what = tenantId === null ? 'as an operator' : `to ${tenantId} as ${role}`;
  return {
    subject: 'An invitation to Tributary',
    text: [
      `You are invited ${what}. This link takes the invitation, once:`,
      '',
      link,
      '',
      `It holds until ${expiresAt.toISOString()}. Give it to nobody else.`,
      '',
    ].join('\n'),
  };
}
