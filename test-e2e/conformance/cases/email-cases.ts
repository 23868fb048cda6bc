import { type Case, nameOf } from '../case.ts';
import { type Caller, validatedCase } from '../event-request.ts';
import { isMailbox } from '../oracle/email-address.ts';
import { bodyOf, bodyWith } from '../valid-bodies.ts';
import { mailboxes, notIpv6, notMailboxes } from './emails.ts';

export function mislabelledEmails(): string[] {
  return [
    ...mailboxes.filter((text) => !isMailbox(text)),
    ...[...notMailboxes, ...notIpv6].filter(isMailbox),
  ];
}

export function emailCases(caller: Caller): Case[] {
  const texts = [...mailboxes, ...notMailboxes, ...notIpv6, '', ...aroundTheLimit()];
  return [
    ...texts.map((text) =>
      validatedCase(caller, `email: ${nameOf(text)}`, bodyOf('newUser.email', text)),
    ),
    ...['null', '0', 'true', '[]', '{}', '["a@b"]'].map((source) =>
      validatedCase(caller, `email: ${source}`, bodyWith('newUser.email', source)),
    ),
  ];
}

/** 1 to 320 characters (2.3), in the forms whose length the grammar does not bound. */
function aroundTheLimit(): string[] {
  const fill = (length: number) => 'b'.repeat(length);
  return [319, 320, 321, 322].flatMap((length) => [
    `${fill(64)}@${`${fill(63)}.`.repeat(4)}`.slice(0, length - 1).concat('c'),
    `a@${'b.'.repeat(200)}`
      .slice(0, length - 1)
      .replace(/\.$/, 'b')
      .concat('c'),
    `"${' '.repeat(length - 5)}"@b`.padEnd(length, 'b'),
    `${fill(64)}@b.${fill(length - 67)}`,
  ]);
}
