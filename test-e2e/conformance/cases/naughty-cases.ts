import { type Case, nameOf } from '../case.ts';
import { type Caller, eventRequest, validatedCase } from '../event-request.ts';
import { bodyOf, validMembers } from '../valid-bodies.ts';
import { textPaths, valueCases } from './field-cases.ts';
import { naughtyStrings } from './naughty-strings.ts';

/** Every string as a value of every kind of text, and of the two closed lists. */
export function naughtyValues(caller: Caller): Case[] {
  const lists = ['currency', 'subscription.interval'];
  return [
    ...valueCases(caller, [...textPaths, ...lists, 'newUser.email'], naughtyStrings),
    // Two requests with one key would be one request, or a conflict.
    ...naughtyStrings.map((text, i) => {
      const body = bodyOf('idempotencyKey', `${text}${i}`);
      return validatedCase(caller, `idempotencyKey: ${nameOf(text)}`, body);
    }),
  ];
}

/** Every string as the name of a member that nobody knows, at every level and as an object's. */
export function naughtyNames(caller: Caller): Case[] {
  const known = new Set(['length']);
  return naughtyStrings
    .filter((name) => !known.has(name))
    .flatMap((name) => {
      const member = `${JSON.stringify(name)}:"submitted-canary"`;
      const canaries = ['submitted-canary'];
      const at = (what: string, body: string) =>
        validatedCase(caller, `${what}: ${nameOf(name)}`, body, { canaries });
      const root = JSON.stringify(validMembers('purchase-created'));
      return [
        at('a name at the root', `{${member},${root.slice(1)}`),
        at('a name in newUser', root.replace('"newUser":{', `"newUser":{${member},`)),
        at('a name in subscription', root.replace('"monthly"', `"monthly",${member}`)),
      ];
    });
}

/** Names of the contract in another case or another form are other names. */
export function almostKnownNames(caller: Caller): Case[] {
  const names = [
    ...[
      'UCC',
      'Ucc',
      'ucc ',
      ' ucc',
      'ucc\u0000',
      'u\u200bcc',
      'occurredat',
      'occurred_at',
      'OccurredAt',
    ],
    ...[
      'newuser',
      'new_user',
      'NewUser',
      'Currency',
      'invoiceID',
      'invoice_id',
      'Amount',
      'amount\n',
      'аmount',
    ],
    ...[
      'Subscription',
      'idempotencykey',
      'Idempotency-Key',
      'idempotency_key',
      'eventId',
      'receivedAt',
      'warnings',
    ],
    ...[
      'tenantId',
      'eventType',
      'schemaVersion',
      'id',
      'email',
      'name',
      'interval',
      '',
      '/',
      'newUser.id',
      'newUser/id',
    ],
  ];
  return names.map((name) => {
    const root = JSON.stringify(validMembers('purchase-created'));
    const body = `${root.slice(0, -1)},${JSON.stringify(name)}:1}`;
    return validatedCase(caller, `a name like a known one: ${nameOf(name)}`, body);
  });
}

/** Bytes of UTF-8 in the header, and the same text in the body, are one key (design 8). */
export function keysInBothForms(caller: Caller): Case[] {
  return naughtyStrings.filter(isHeaderText).map((text, i) => {
    const key = `${text}~${i}`;
    const tooLong = [...key.trim()].length > 255;
    return {
      name: `one key in both forms: ${nameOf(key)}`,
      request: eventRequest(caller, bodyOf('idempotencyKey', key), {
        addHeaders: [['Idempotency-Key', Buffer.from(key)]],
      }),
      expected: tooLong
        ? { status: 422, code: 'VALIDATION_ERROR', errors: ['/idempotencyKey OUT_OF_RANGE'] }
        : { status: 202 },
    };
  });
}

/** A header line carries no control character, and half a surrogate pair is no UTF-8. */
function isHeaderText(text: string): boolean {
  return text.isWellFormed() && ![...text].some((c) => c < ' ' || c === '\u007f');
}

/** Every string that a path can carry, percent-encoded, as the code that is looked up (4.5). */
export function lookedUpCodes({ token }: Caller): Case[] {
  return naughtyStrings
    .filter((code) => code.isWellFormed())
    .map((code) => ({
      name: `look-up of ${nameOf(code)}`,
      request: {
        method: 'GET',
        target: `/referral-codes/${encodeURIComponent(code)}`,
        headers: [['Authorization', `Bearer ${token}`]] as const,
      },
      expected: { status: 404, code: 'NOT_FOUND' },
    }));
}
