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
    async handle(request) {
      const tenantId = await tenantOf(deployment, request);
      const isNeeded =
        byDeployment || (tenantId !== null && (await needsSecondPerson(office.pool, tenantId)));
      return isNeeded ? ask(office, served, request, tenantId) : handle(request);
    },
  };
}

/** @throws {Refusal} NOT_FOUND */
async function tenantOf(deployment: Deployment, { params }: AdminRequest): Promise<string | null> {
  const { tenantId } = params;
  return tenantId === undefined ? null : existingTenant(deployment, { params: { tenantId } });
}

async function ask(
  office: Office,
  { route, validate }: ServedRoute,
  request: AdminRequest,
  tenantId: string | null,
): Promise<Answer> {
  let body: unknown = null;
  const note = async (reading: Promise<unknown>) => (body = await reading);
  const caller = await validate({
    ...request,
    json: () => note(request.json()),
    optionalJson: () => note(request.optionalJson()),
  });
  const { params, search } = request;
  const asked = { action: actionOf(route), tenantId, params: { ...params }, search, body };
  const pending = await askForApproval(office, asked, caller);
  return { status: 202, body: pending, target: { approvalId: pending.approvalId } };
}
