import { accountRoutes as declared } from '@tributary/contracts/admin/accounts';
import {
  portalPath,
  signInPagePath,
  singleSignOnPath,
} from '@tributary/contracts/admin/sign-in-path';
import type { Office } from '../accounts/commands/office.ts';
import { beginSingleSignOn, finishSingleSignOn } from '../accounts/commands/single-sign-on.ts';
import { makeSignInLink, signInByLink } from '../accounts/commands/sign-in-links.ts';
import { actorOfAccount } from '../accounts/domain/caller.ts';
import { notVerified, showSession } from './account-answers.ts';
import { Refusal } from './refusal.ts';
import { serve, type ServedRoute } from './route.ts';

/** Ways of signing in without a password of ours. */
export function singleSignOnRoutes(
  office: Office,
  { hasLinks }: { hasLinks: boolean },
): ServedRoute[] {
  return [
    serve(declared.showWays)(() => {
      const { passkeys, provider, mailer } = office;
      const singleSignOn = provider && { name: provider.name, path: singleSignOnPath };
      const body = { passkeys: passkeys !== null, singleSignOn, mail: mailer !== null };
      return Promise.resolve({ status: 200, body });
    }),
    serve(declared.beginSingleSignOn)(async ({ query: { confirm } }) => {
      refuseWithout(office);
      const begun = await beginSingleSignOn(office, { anew: confirm === 'true' });
      if (begun === undefined) throw refused();
      return { status: 303, body: { location: begun.location }, signOn: begun.secret };
    }),
    serve(declared.signInByProvider)(async ({ search, signOn: secret, from }) => {
      refuseWithout(office);
      const done = await finishSingleSignOn(office, { secret, search }, from);
      if (done === undefined) throw refused();
      return {
        ...{ status: 303, body: { location: portalPath } },
        ...{ session: done.secret, signOn: null },
        actor: actorOfAccount(done.session.accountId),
        target: {
          ...(done.joined.length > 0 && { joined: done.joined.join(', ') }),
          ...(done.cleared.length > 0 && { cleared: done.cleared.join(', ') }),
        },
      };
    }),
    serve(declared.makeSignInLink)(async ({ body: { email } }) => {
      const made = hasLinks ? await makeSignInLink(office, email) : undefined;
      if (made === undefined) {
        const detail = 'Nobody has this e-mail, or this is not a sandbox on a developer’s machine.';
        throw new Refusal('NOT_FOUND', { detail });
      }
      const { secret, expiresAt } = made;
      const link = `${office.publicUrl}${signInPagePath}#link=${secret}`;
      return { status: 201, body: { link, expiresAt } };
    }),
    serve(declared.signInByLink)(async ({ body: { link }, from }) => {
      const done = hasLinks ? await signInByLink(office, link, from) : undefined;
      if (done === undefined) throw notVerified({ outcome: 'wrong' });
      const { session, secret } = done;
      const actor = actorOfAccount(session.accountId);
      return { ...(await showSession(office, session)), session: secret, actor };
    }),
  ];
}

function refuseWithout({ provider }: Office): void {
  if (provider !== null) return;
  throw new Refusal('NOT_FOUND', { detail: 'Single sign-on is not set up.' });
}

/** One answer, whatever the reason: a browser is shown the page with a sentence. */
function refused(): Refusal {
  return new Refusal('UNAUTHORIZED', {
    detail: 'Nobody was signed in.',
    location: `${signInPagePath}?refused=single-sign-on`,
  });
}
