import { Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object.ts';
import { adminRoute } from './admin-route.ts';
import { count, list, named, nullable, oneOfTexts, text, utc } from './answer-fields.ts';
import { NoMembers } from './no-members.ts';
import { roles, tenantRoles } from './rights.ts';
import { PasskeyAnswer } from './passkey-answer.ts';
import { oneOf } from './query-parameters.ts';
import { singleSignOnCallbackPath, singleSignOnPath } from './sign-in-path.ts';
import { anyText, printableText } from './text-fields.ts';

export const TenantRoleText = oneOfTexts(...tenantRoles);
export const RoleText = oneOfTexts(...roles);

/** Long enough for argon2 to be worth its while, and short enough to cost no more than that. */
export const passwordLength = { min: 12, max: 256 };
const newPassword = Type.RegExp(
  new RegExp(`^[^\\0\\p{Cs}]{${passwordLength.min},${passwordLength.max}}$`, 'u'),
  {
    expected: `a password of ${passwordLength.min} to ${passwordLength.max} characters`,
    maxCodePoints: passwordLength.max,
  },
);
const password = anyText(passwordLength.max);
/** Six digits of an authenticator, or one of the recovery codes. */
const code = Type.Optional(printableText(40));
const passkey = Type.Optional(PasskeyAnswer);
export const emailAddress = Type.RegExp(/^[^\s@\p{Cc}\p{Cs}]{1,64}@[^\s@\p{Cc}\p{Cs}]{1,190}$/u, {
  expected: 'an e-mail address of up to 255 characters',
  maxCodePoints: 255,
});

export const SignedIn = named(
  'Session',
  Type.Object({
    sessionId: text,
    accountId: text,
    email: text,
    name: text,
    /** Sent back as the header `X-CSRF-Token` with whatever changes something. */
    csrfToken: text,
    expiresAt: utc,
    /** Until when what needs the password once more is taken; null: it was not entered lately. */
    confirmedUntil: nullable(utc),
    /** Without one a provider or a passkey signs them in. */
    hasPassword: Type.Boolean(),
    /** An authenticator. */
    secondFactor: Type.Boolean(),
    passkeys: count,
    recoveryCodesLeft: count,
    isOperator: Type.Boolean(),
    memberships: Type.Array(Type.Object({ tenantId: text, role: TenantRoleText })),
  }),
);
const Ended = Type.Object({ ended: count });
const RecoveryCodes = Type.Object({ recoveryCodes: Type.Array(text) });

const Redirect = Type.Object({ location: text });

/** Signing in, and what somebody does about their own account. */
export const accountRoutes = {
  showWays: adminRoute({
    method: 'GET',
    path: '/api/session/ways',
    right: 'none',
    summary:
      'Shows which ways to sign in exist besides a password, and whether invitations are mailed.',
    answers: {
      200: Type.Object({
        passkeys: Type.Boolean(),
        /** A browser goes to the path. */
        singleSignOn: nullable(Type.Object({ name: text, path: text })),
        mail: Type.Boolean(),
      }),
    },
  }),
  beginSingleSignOn: adminRoute({
    method: 'GET',
    path: singleSignOnPath,
    right: 'none',
    summary:
      'Redirects a browser to the single sign-on provider. With `confirm`, people authenticate there again, as some actions require.',
    query: { confirm: oneOf('true') },
    answers: { 303: Redirect },
    mayBeMissing: true,
  }),
  signInByProvider: adminRoute({
    method: 'GET',
    path: singleSignOnCallbackPath,
    right: 'none',
    changes: true,
    summary:
      'Where the provider returns the browser: sets the session cookie and redirects to the portal.',
    answers: { 303: Redirect },
    mayBeMissing: true,
  }),
  signInByLink: adminRoute({
    method: 'POST',
    path: '/api/session/link',
    right: 'none',
    summary: 'Signs in with a single-use link, which only a developer’s sandbox creates.',
    body: closedObject({ link: printableText(200) }),
    answers: { 200: SignedIn },
  }),
  makeSignInLink: adminRoute({
    method: 'POST',
    path: '/api/sign-in-links',
    right: 'deployment',
    confirmed: true,
    summary:
      'Creates a single-use sign-in link, valid for 15 minutes; only where sessions are allowed over plain http.',
    body: closedObject({ email: emailAddress }),
    answers: { 201: Type.Object({ link: text, expiresAt: utc }) },
    mayBeMissing: true,
  }),
  signIn: adminRoute({
    method: 'POST',
    path: '/api/session',
    right: 'none',
    summary:
      'Signs in: sets the session cookie. `code` or `passkey` is required if there is a second factor.',
    body: closedObject({ email: emailAddress, password, code, passkey }),
    answers: { 200: SignedIn },
  }),
  showSession: adminRoute({
    method: 'GET',
    path: '/api/session',
    right: 'self',
    summary: 'Shows who is signed in, what they may do, and the token that changes require.',
    answers: { 200: SignedIn },
  }),
  signOut: adminRoute({
    method: 'DELETE',
    path: '/api/session',
    right: 'self',
    summary: 'Ends this session.',
    answers: { 200: Ended },
  }),
  confirmSession: adminRoute({
    method: 'POST',
    path: '/api/session/confirm',
    right: 'self',
    summary: 'Confirms the password, for ten minutes of actions that require it.',
    body: closedObject({ password, code, passkey }),
    answers: { 200: SignedIn },
  }),
  listSessions: adminRoute({
    method: 'GET',
    path: '/api/sessions',
    right: 'self',
    summary: 'Lists your own sessions.',
    answers: {
      200: list(
        'sessions',
        Type.Object({
          sessionId: text,
          isThis: Type.Boolean(),
          createdAt: utc,
          lastSeenAt: utc,
          expiresAt: utc,
          address: text,
          userAgent: text,
        }),
      ),
    },
  }),
  endSession: adminRoute({
    method: 'DELETE',
    path: '/api/sessions/{sessionId}',
    right: 'self',
    summary: 'Ends one of your sessions.',
    answers: { 200: Ended },
  }),
  endSessions: adminRoute({
    method: 'DELETE',
    path: '/api/sessions',
    right: 'self',
    summary: 'Ends all your sessions, including this one.',
    answers: { 200: Ended },
  }),
  changePassword: adminRoute({
    method: 'PUT',
    path: '/api/account/password',
    right: 'self',
    summary: 'Changes the password and ends every other session.',
    body: closedObject({ password, newPassword }),
    answers: { 200: Ended },
  }),
  startSecondFactor: adminRoute({
    method: 'POST',
    path: '/api/account/second-factor',
    right: 'self',
    confirmed: true,
    summary:
      'Creates a secret for an authenticator (TOTP), which takes effect once a code from it is confirmed.',
    body: NoMembers,
    bodyOptional: true,
    answers: { 201: Type.Object({ secret: text, otpauthUrl: text }) },
    conflict: 'there is a second factor: remove it first',
  }),
  enableSecondFactor: adminRoute({
    method: 'POST',
    path: '/api/account/second-factor/confirm',
    right: 'self',
    confirmed: true,
    summary: 'Confirms a code from the new secret, and shows ten recovery codes, once.',
    body: closedObject({ code: printableText(40) }),
    answers: { 200: RecoveryCodes },
    conflict: 'the code is wrong, or no secret is waiting for one',
  }),
  removeSecondFactor: adminRoute({
    method: 'DELETE',
    path: '/api/account/second-factor',
    right: 'self',
    confirmed: true,
    summary: 'Removes the second factor and its recovery codes.',
    answers: { 200: Type.Object({ secondFactor: Type.Literal(false) }) },
  }),
  renewRecoveryCodes: adminRoute({
    method: 'POST',
    path: '/api/account/recovery-codes',
    right: 'self',
    confirmed: true,
    summary: 'Replaces the remaining recovery codes with ten new ones.',
    body: NoMembers,
    bodyOptional: true,
    answers: { 201: RecoveryCodes },
    conflict: 'there is no second factor',
  }),
  acceptInvitation: adminRoute({
    method: 'POST',
    path: '/api/invitation',
    right: 'none',
    summary:
      'Accepts an invitation: creates the account, or adds the role to the existing account with this e-mail, whose password is then required.',
    body: closedObject({
      invitation: printableText(200),
      name: printableText(255),
      password: newPassword,
    }),
    answers: { 201: Type.Object({ accountId: text, tenantId: nullable(text), role: RoleText }) },
    mayBeMissing: true,
    conflict: 'an account with this e-mail exists and has a different password',
  }),
};
