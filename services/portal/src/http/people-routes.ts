import { peopleRoutes as declared } from '@tributary/contracts/admin/people';
import { mayGrant, type Role } from '@tributary/contracts/admin/rights';
import { createApiToken } from '../accounts/commands/api-tokens.ts';
import type { Office } from '../accounts/commands/office.ts';
import {
  type Changed,
  changeRole,
  invite,
  removeOperator,
  removePerson,
} from '../accounts/commands/people.ts';
import { listApiTokens, revokeApiToken } from '../accounts/db/api-tokens.ts';
import {
  deleteInvitation,
  listInvitations,
  listOperators,
  listPeople,
} from '../accounts/db/people.ts';
import { type Caller, roleIn } from '../accounts/domain/caller.ts';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { existingTenant } from './existing-tenant.ts';
import { Refusal } from './refusal.ts';
import { uuidPattern } from './replay-routes.ts';
import { noSuchTenant, serve, type ServedRoute } from './route.ts';

/** Who may do what: people of a tenant, the deployment's operators, and tokens of machines. */
export function peopleRoutes(deployment: Deployment, office: Office): ServedRoute[] {
  return [
    ...memberRoutes(deployment, office),
    ...operatorRoutes(office),
    ...tokenRoutes(deployment, office),
    ...deploymentTokenRoutes(office),
  ];
}

function memberRoutes(deployment: Deployment, office: Office): ServedRoute[] {
  const { pool, clock } = office;
  return [
    serve(declared.listPeople)(async (asked) => {
      const tenantId = await existingTenant(deployment, asked);
      const people = await listPeople(pool, tenantId);
      const invitations = await listInvitations(pool, tenantId, clock.now());
      const body = {
        people,
        invitations: invitations.flatMap(({ tenantId: _t, role, ...one }) =>
          role === 'operator' ? [] : [{ ...one, role }],
        ),
      };
      return { status: 200, body };
    }),
    serve(declared.invitePerson)(async (asked) => {
      const tenantId = await existingTenant(deployment, asked);
      const { body, caller } = asked;
      refuseAbove(granterOf(caller, tenantId), body.role);
      return { status: 201, body: await invite(office, { ...body, tenantId }, caller.actor) };
    }),
    serve(declared.withdrawInvitation)(async (asked) => {
      const tenantId = await existingTenant(deployment, asked);
      return withdraw(office, tenantId, asked.params.invitationId);
    }),
    serve(declared.changeRole)(async (asked) => {
      const named = await memberOf(deployment, asked);
      const { role } = asked.body;
      const granter = granterOf(asked.caller, named.tenantId);
      changed(await changeRole(office, granter, named, role));
      return { status: 200, body: { accountId: named.accountId, role } };
    }),
    serve(declared.removePerson)(async (asked) => {
      const named = await memberOf(deployment, asked);
      const granter = granterOf(asked.caller, named.tenantId);
      const { forgotten } = changed(await removePerson(office, granter, named));
      return { status: 200, body: { accountId: named.accountId, forgotten } };
    }),
  ];
}

function operatorRoutes(office: Office): ServedRoute[] {
  const { pool, clock } = office;
  return [
    serve(declared.listOperators)(async () => {
      const operators = await listOperators(pool);
      const invitations = (await listInvitations(pool, null, clock.now())).map(
        ({ invitationId, email, expiresAt }) => ({ invitationId, email, expiresAt }),
      );
      return { status: 200, body: { operators, invitations } };
    }),
    serve(declared.inviteOperator)(async ({ body, caller }) => {
      const asked = { email: body.email, tenantId: null, role: 'operator' } as const;
      return { status: 201, body: await invite(office, asked, caller.actor) };
    }),
    serve(declared.withdrawOperatorInvitation)(({ params: { invitationId } }) =>
      withdraw(office, null, invitationId),
    ),
    serve(declared.removeOperator)(async ({ params: { accountId } }) => {
      const removed = uuidPattern.test(accountId)
        ? await removeOperator(office, accountId)
        : undefined;
      if (removed === undefined) throw noSuchPerson();
      return { status: 200, body: { accountId, ...removed } };
    }),
  ];
}

async function withdraw({ pool }: Office, tenantId: string | null, invitationId: string) {
  const isGone =
    uuidPattern.test(invitationId) && (await deleteInvitation(pool, tenantId, invitationId));
  if (!isGone) throw new Refusal('NOT_FOUND', { detail: 'There is no such invitation.' });
  return { status: 200, body: { invitationId, status: 'withdrawn' } } as const;
}

function tokenRoutes(deployment: Deployment, office: Office): ServedRoute[] {
  const { pool } = office;
  return [
    serve(declared.listTokens)(async (asked) => {
      const tenantId = await existingTenant(deployment, asked);
      return { status: 200, body: { tokens: await listApiTokens(pool, tenantId) } };
    }),
    serve(declared.createToken)(async (asked) => {
      const tenantId = await existingTenant(deployment, asked);
      const { body, caller } = asked;
      refuseAbove(granterOf(caller, tenantId), body.role);
      const token = await createApiToken(office, { ...body, tenantId }, caller.actor);
      return { status: 201, body: token };
    }),
    serve(declared.revokeToken)(async (asked) => {
      const tenantId = await existingTenant(deployment, asked);
      return { status: 200, body: await revoke(office, tenantId, asked.params.tokenId) };
    }),
  ];
}

function deploymentTokenRoutes(office: Office): ServedRoute[] {
  return [
    serve(declared.listDeploymentTokens)(async () => ({
      status: 200,
      body: { tokens: await listApiTokens(office.pool, null) },
    })),
    serve(declared.createDeploymentToken)(async ({ body, caller }) => {
      const asked = { ...body, tenantId: null, role: 'operator' } as const;
      return { status: 201, body: await createApiToken(office, asked, caller.actor) };
    }),
    serve(declared.revokeDeploymentToken)(async ({ params }) => ({
      status: 200,
      body: await revoke(office, null, params.tokenId),
    })),
  ];
}

async function revoke({ pool, clock }: Office, tenantId: string | null, tokenId: string) {
  const revoked = uuidPattern.test(tokenId)
    ? await revokeApiToken(pool, tenantId, tokenId, clock.now())
    : undefined;
  if (revoked === undefined) throw new Refusal('NOT_FOUND', { detail: 'There is no such token.' });
  return revoked;
}

async function memberOf(
  deployment: Deployment,
  asked: { params: { tenantId: string; accountId: string } },
) {
  const tenantId = await existingTenant(deployment, asked);
  const { accountId } = asked.params;
  if (!uuidPattern.test(accountId)) throw noSuchPerson();
  return { tenantId, accountId };
}

function changed<T>(result: Changed<T>): T {
  switch (result.outcome) {
    case 'changed':
      return result;
    case 'no-person':
      throw noSuchPerson();
    case 'last-owner':
      throw new Refusal('CONFLICT', {
        detail: 'This is the last owner: make somebody else an owner first.',
      });
    case 'above':
      throw above();
    default:
      return result satisfies never;
  }
}

/** The router has made sure that they have one. */
function granterOf(caller: Caller, tenantId: string): Role {
  const role = roleIn(caller, tenantId);
  if (role === undefined) throw noSuchTenant();
  return role;
}

function refuseAbove(granter: Role, granted: Role): void {
  if (!mayGrant(granter, granted)) throw above();
}

function above(): Refusal {
  return new Refusal('FORBIDDEN', {
    detail: 'You cannot give a role above your own, or change somebody with a role above yours.',
  });
}

function noSuchPerson(): Refusal {
  return new Refusal('NOT_FOUND', { detail: 'There is nobody with this id.' });
}
