import { Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object.ts';
import { SignedIn } from './accounts.ts';
import { adminRoute } from './admin-route.ts';
import { extended, list, named, nullable, text, utc } from './answer-fields.ts';
import { NoMembers } from './no-members.ts';
import { PasskeyAnswer } from './passkey-answer.ts';
import { printableText } from './text-fields.ts';

const Passkey = named(
  'Passkey',
  Type.Object({
    passkeyId: text,
    name: text,
    createdAt: utc,
    lastUsedAt: nullable(utc),
    /** Its owner has it on more than one device. */
    isSynced: Type.Boolean(),
    /** Since when it signs nobody in: it was used as if there were a copy of it. */
    suspendedAt: nullable(utc),
  }),
);
/** What `navigator.credentials` takes, once its `parse…OptionsFromJSON` has read it. */
const Question = Type.Object({ options: Type.Record(Type.String(), Type.Unknown()) });
const name = printableText(100);

/** Keys on devices: the second factor beside a password, or all that signs somebody in. */
export const passkeyRoutes = {
  askForPasskey: adminRoute({
    method: 'POST',
    path: '/api/session/passkey/options',
    right: 'none',
    summary:
      'Returns the options with which a browser requests a passkey to sign in or confirm, valid for ten minutes.',
    body: NoMembers,
    bodyOptional: true,
    storesNothing: true,
    answers: { 200: Question },
    mayBeMissing: true,
  }),
  signInByPasskey: adminRoute({
    method: 'POST',
    path: '/api/session/passkey',
    right: 'none',
    summary: 'Signs in with a passkey alone: sets the session cookie.',
    body: closedObject({ passkey: PasskeyAnswer }),
    answers: { 200: SignedIn },
  }),
  confirmByPasskey: adminRoute({
    method: 'POST',
    path: '/api/session/passkey/confirm',
    right: 'self',
    summary:
      'Accepts a passkey instead of the password, for ten minutes of actions that require it.',
    body: closedObject({ passkey: PasskeyAnswer }),
    answers: { 200: SignedIn },
  }),
  listPasskeys: adminRoute({
    method: 'GET',
    path: '/api/account/passkeys',
    right: 'self',
    summary: 'Lists your own passkeys.',
    answers: { 200: list('passkeys', Passkey) },
  }),
  askForNewPasskey: adminRoute({
    method: 'POST',
    path: '/api/account/passkeys/options',
    right: 'self',
    confirmed: true,
    summary: 'Returns the options with which a browser creates a passkey, valid for ten minutes.',
    body: NoMembers,
    bodyOptional: true,
    storesNothing: true,
    answers: { 200: Question },
    mayBeMissing: true,
  }),
  addPasskey: adminRoute({
    method: 'POST',
    path: '/api/account/passkeys',
    right: 'self',
    confirmed: true,
    summary:
      'Adds a passkey. If it is the first second factor, the answer has ten recovery codes, shown once.',
    body: closedObject({ name, passkey: PasskeyAnswer }),
    answers: { 201: extended(Passkey, { recoveryCodes: Type.Array(text) }) },
    conflict: 'it cannot be trusted or is already registered, or there are already twenty',
  }),
  namePasskey: adminRoute({
    method: 'PUT',
    path: '/api/account/passkeys/{passkeyId}',
    right: 'self',
    summary: 'Renames a passkey.',
    body: closedObject({ name }),
    answers: { 200: Passkey },
  }),
  removePasskey: adminRoute({
    method: 'DELETE',
    path: '/api/account/passkeys/{passkeyId}',
    right: 'self',
    confirmed: true,
    summary: 'Removes a passkey, and with the last second factor the recovery codes, too.',
    answers: { 200: Type.Object({ passkeyId: text, status: Type.Literal('removed') }) },
  }),
};
