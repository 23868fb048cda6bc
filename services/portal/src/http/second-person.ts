import { identifierPattern } from '@tributary/contracts/admin/text-fields';
import type { Office } from '../accounts/commands/office.ts';
import { askForApproval } from '../accounts/commands/approvals.ts';
import { needsSecondPerson } from '../accounts/db/approvals.ts';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { actionOf } from './before-and-after.ts';
import { existingTenant } from './existing-tenant.ts';
import type { AdminRequest, Answer, ServedRoute } from './route.ts';

/** Whether bulk actions need a second person: by the configuration, everywhere. */
export type SecondPerson = { byDeployment: boolean };

/**
 * What is declared with `secondPerson` is kept for another person to approve, where the deployment
 * or the tenant wants one, and not done (docs/decisions/0058). It is validated as if it were, so
 * that nobody is asked to approve what nobody could do.
 */
export function withSecondPerson(
  { byDeployment }: SecondPerson,
  deployment: Deployment,
  office: Office,
  served: ServedRoute,
): ServedRoute {
  const { route, handle } = served;
  if (!route.secondPerson) return served;
  return {
    ...served,
    handle: async (request) =>
      byDeployment || (await isWanted(office, served, request))
        ? ask({ deployment, office }, served, request)
        : handle(request),
  };
}

/** By the tenant. What is no id is nobody's, which is for the route itself to say. */
async function isWanted(
  { pool }: Office,
  { tenantOf }: ServedRoute,
  request: AdminRequest,
): Promise<boolean> {
  const tenantId = tenantOf ? await tenantOf(request) : request.params['tenantId'];
  if (tenantId === undefined || !identifierPattern.test(tenantId)) return false;
  return needsSecondPerson(pool, tenantId);
}

/** @throws {Refusal} NOT_FOUND for no tenant, and whatever is wrong with the request. */
async function ask(
  { deployment, office }: { deployment: Deployment; office: Office },
  { route, validate }: ServedRoute,
  request: AdminRequest,
): Promise<Answer> {
  let body: unknown = null;
  const note = async (reading: Promise<unknown>) => (body = await reading);
  const caller = await validate({
    ...request,
    json: () => note(request.json()),
    optionalJson: () => note(request.optionalJson()),
  });
  const { params, search } = request;
  const { tenantId: named } = params;
  const tenantId =
    named === undefined ? null : await existingTenant(deployment, { params: { tenantId: named } });
  const asked = { action: actionOf(route), tenantId, params: { ...params }, search, body };
  const pending = await askForApproval(office, asked, caller);
  return { status: 202, body: pending, target: { approvalId: pending.approvalId } };
}
