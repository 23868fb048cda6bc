import { accountRoutes as declared } from '@tributary/contracts/admin/accounts';
import type { Office } from '../accounts/commands/office.ts';
import { acceptInvitation } from '../accounts/commands/people.ts';
import {
  enableSecondFactor,
  removeSecondFactor,
  renewRecoveryCodes,
  startSecondFactor,
} from '../accounts/commands/second-factor.ts';
import {
  changePassword,
  confirmSession,
  describeSessions,
  endOwnSessions,
  signIn,
} from '../accounts/commands/sessions.ts';
import { actorOfAccount, type Session } from '../accounts/domain/caller.ts';
import { after, confirmedMs } from '../accounts/domain/durations.ts';
import { conflict, notVerified, sessionOf, showSession } from './account-answers.ts';
import { Refusal } from './refusal.ts';
import { uuidPattern } from './replay-routes.ts';
import { serve, type ServedRoute } from './route.ts';

/** Signing in, and what somebody does about their own account. */
export function accountRoutes(office: Office): ServedRoute[] {
  return [...sessionRoutes(office), ...ownRoutes(office)];
}

function sessionRoutes(office: Office): ServedRoute[] {
  const show = (session: Session) => showSession(office, session);
  return [
    serve(declared.signIn)(async ({ body, from }) => {
      const done = await signIn(office, body, from);
      if (done.outcome !== 'signed-in') throw notVerified(done);
      const { session, secret } = done;
      const actor = actorOfAccount(session.accountId);
      return { ...(await show(session)), session: secret, actor };
    }),
    serve(declared.showSession)(({ caller }) => show(sessionOf(caller))),
    serve(declared.signOut)(async ({ caller }) => {
      const session = sessionOf(caller);
      const ended = await endOwnSessions(office, session, session.sessionId);
      return { status: 200, body: { ended }, session: null };
    }),
    serve(declared.confirmSession)(async ({ caller, body, from }) => {
      const session = sessionOf(caller);
      const verified = await confirmSession(office, session, body, from.network);
      if (verified.outcome !== 'right') throw notVerified(verified);
      return show({ ...session, confirmedUntil: after(office.clock.now(), confirmedMs) });
    }),
    serve(declared.listSessions)(async ({ caller }) => {
      const sessions = await describeSessions(office, sessionOf(caller));
      return { status: 200, body: { sessions } };
    }),
    serve(declared.endSession)(async ({ caller, params: { sessionId } }) => {
      const own = sessionOf(caller);
      const ended = uuidPattern.test(sessionId) ? await endOwnSessions(office, own, sessionId) : 0;
      if (ended === 0) throw new Refusal('NOT_FOUND', { detail: 'You have no such session.' });
      return { status: 200, body: { ended } };
    }),
    serve(declared.endSessions)(async ({ caller }) => {
      const ended = await endOwnSessions(office, sessionOf(caller));
      return { status: 200, body: { ended }, session: null };
    }),
  ];
}

function ownRoutes(office: Office): ServedRoute[] {
  return [
    serve(declared.changePassword)(async ({ caller, body, from }) => {
      const done = await changePassword(office, sessionOf(caller), body, from.network);
      if (done.outcome !== 'changed') throw notVerified(done);
      return { status: 200, body: { ended: done.ended } };
    }),
    serve(declared.startSecondFactor)(async ({ caller }) => {
      const body = await startSecondFactor(office, sessionOf(caller));
      if (body === undefined)
        throw conflict('The account already has a second factor; remove it first.');
      return { status: 201, body };
    }),
    serve(declared.enableSecondFactor)(async ({ caller, body }) => {
      const recoveryCodes = await enableSecondFactor(office, sessionOf(caller), body.code);
      if (recoveryCodes === undefined) {
        throw conflict('This code does not match a second factor that is being set up.');
      }
      return { status: 200, body: { recoveryCodes } };
    }),
    serve(declared.removeSecondFactor)(async ({ caller }) => {
      await removeSecondFactor(office, sessionOf(caller));
      return { status: 200, body: { secondFactor: false } };
    }),
    serve(declared.renewRecoveryCodes)(async ({ caller }) => {
      const recoveryCodes = await renewRecoveryCodes(office, sessionOf(caller));
      if (recoveryCodes === undefined) throw conflict('The account has no second factor.');
      return { status: 201, body: { recoveryCodes } };
    }),
    serve(declared.acceptInvitation)(async ({ body, from }) => {
      const done = await acceptInvitation(office, body, from.network);
      switch (done.outcome) {
        case 'accepted': {
          const { outcome: _o, ...accepted } = done;
          return { status: 201, body: accepted, actor: actorOfAccount(accepted.accountId) };
        }
        case 'no-invitation':
          throw new Refusal('NOT_FOUND', {
            detail: 'There is no such invitation, or it was used or has expired.',
          });
        case 'other-password':
          throw conflict('An account with this e-mail exists: enter its password.');
        case 'too-many':
          throw notVerified(done);
        default:
          return done satisfies never;
      }
    }),
  ];
}
