import { passkeyRoutes as declared } from '@tributary/contracts/admin/passkeys';
import type { Office } from '../accounts/commands/office.ts';
import {
  addPasskey,
  describePasskeys,
  nameOwnPasskey,
  newPasskeyQuestion,
  passkeyQuestion,
  removePasskey,
} from '../accounts/commands/passkeys.ts';
import { confirmByPasskey, signInByPasskey } from '../accounts/commands/sessions.ts';
import { actorOfAccount } from '../accounts/domain/caller.ts';
import { after, confirmedMs } from '../accounts/domain/durations.ts';
import { conflict, notVerified, sessionOf, showSession } from './account-answers.ts';
import { Refusal } from './refusal.ts';
import { uuidPattern } from './replay-routes.ts';
import { serve, type ServedRoute } from './route.ts';

/** Keys on devices: the second factor beside a password, or all that signs somebody in. */
export function passkeyRoutes(office: Office): ServedRoute[] {
  return [...signInRoutes(office), ...ownRoutes(office)];
}

function signInRoutes(office: Office): ServedRoute[] {
  return [
    serve(declared.askForPasskey)(async () => questionOf(await passkeyQuestion(office))),
    serve(declared.signInByPasskey)(async ({ body, from }) => {
      const done = await signInByPasskey(office, body.passkey, from);
      if (done.outcome !== 'signed-in') throw notVerified(done);
      const { session, secret } = done;
      const actor = actorOfAccount(session.accountId);
      return { ...(await showSession(office, session)), session: secret, actor };
    }),
    serve(declared.confirmByPasskey)(async ({ caller, body, from }) => {
      const session = sessionOf(caller);
      const done = await confirmByPasskey(office, session, body.passkey, from.network);
      if (done.outcome !== 'confirmed') throw notVerified(done);
      const confirmedUntil = after(office.clock.now(), confirmedMs);
      return showSession(office, { ...session, confirmedUntil });
    }),
  ];
}

function ownRoutes(office: Office): ServedRoute[] {
  return [
    serve(declared.listPasskeys)(async ({ caller }) => ({
      status: 200,
      body: { passkeys: await describePasskeys(office, sessionOf(caller)) },
    })),
    serve(declared.askForNewPasskey)(async ({ caller }) =>
      questionOf(await newPasskeyQuestion(office, sessionOf(caller))),
    ),
    serve(declared.addPasskey)(async ({ caller, body }) => {
      const asked = { name: body.name, answer: body.passkey };
      const done = await addPasskey(office, sessionOf(caller), asked);
      switch (done.outcome) {
        case 'added': {
          const { passkey, recoveryCodes } = done;
          const target = { passkeyId: passkey.passkeyId };
          return { status: 201, body: { ...passkey, recoveryCodes }, target };
        }
        case 'not-trusted':
          throw conflict(
            'This answers no challenge of this server, or the challenge was already used.',
          );
        case 'known':
          throw conflict('This passkey is already registered.');
        case 'too-many':
          throw conflict('The account has twenty passkeys: remove one first.');
        default:
          return done satisfies never;
      }
    }),
    serve(declared.namePasskey)(async ({ caller, params: { passkeyId }, body }) => {
      const { accountId } = sessionOf(caller);
      const named = uuidPattern.test(passkeyId)
        ? await nameOwnPasskey(office, { accountId, passkeyId }, body.name)
        : undefined;
      if (named === undefined) throw noSuchPasskey();
      return { status: 200, body: named };
    }),
    serve(declared.removePasskey)(async ({ caller, params: { passkeyId } }) => {
      const { accountId } = sessionOf(caller);
      const isGone =
        uuidPattern.test(passkeyId) && (await removePasskey(office, { accountId, passkeyId }));
      if (!isGone) throw noSuchPasskey();
      return { status: 200, body: { passkeyId, status: 'removed' } };
    }),
  ];
}

function questionOf(options: object | undefined) {
  if (options === undefined) {
    throw new Refusal('NOT_FOUND', {
      detail: 'Passkeys are not available here: they require the portal to have a host name.',
    });
  }
  return { status: 200, body: { options: { ...options } } } as const;
}

function noSuchPasskey(): Refusal {
  return new Refusal('NOT_FOUND', { detail: 'You have no such passkey.' });
}
