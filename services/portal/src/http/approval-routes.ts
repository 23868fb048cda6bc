import {
  approvalRoutes as declared,
  type ApprovalState,
} from '@tributary/contracts/admin/approvals';
import { needsRole } from '@tributary/contracts/admin/rights';
import { approve, decline, endOf } from '../accounts/commands/approvals.ts';
import { identifyActor } from '../accounts/commands/identify.ts';
import type { Office } from '../accounts/commands/office.ts';
import {
  type ApprovalRow,
  findApproval,
  listApprovals,
  needsSecondPerson,
  storeSecondPerson,
} from '../accounts/db/approvals.ts';
import { type Caller, may, maySomewhere } from '../accounts/domain/caller.ts';
import type { Deployment } from '../catalog/commands/deployment.ts';
import { missing } from './admit.ts';
import { existingTenant } from './existing-tenant.ts';
import { nextCursor, pageOf } from './paged-answer.ts';
import { refuseForeignCursor } from './audit-routes.ts';
import { redact } from './redact.ts';
import { Refusal, statusOf } from './refusal.ts';
import { uuidPattern } from './replay-routes.ts';
import { type AdminRequest, type Answer, type Asked, serve, type ServedRoute } from './route.ts';
import type { SecondPerson } from './second-person.ts';

/** What does an action of this name, without asking anybody once more. */
export type FindAction = (action: string) => ServedRoute | undefined;

type Desk = SecondPerson & { deployment: Deployment; office: Office; find: FindAction };

/** Where one person asks and another one decides. */
export function approvalRoutes(desk: Desk): ServedRoute[] {
  const { deployment, office, byDeployment } = desk;
  const { pool, clock } = office;
  return [
    serve(declared.showSecondPerson)(async (asked) => {
      const tenantId = await existingTenant(deployment, asked);
      const required = byDeployment || (await needsSecondPerson(pool, tenantId));
      return { status: 200, body: { required, byDeployment } };
    }),
    serve(declared.setSecondPerson)(async (asked) => {
      const tenantId = await existingTenant(deployment, asked);
      const { required } = asked.body;
      await storeSecondPerson(pool, tenantId, { required, at: clock.now() });
      return { status: 200, body: { required } };
    }),
    ...tenantRoutes(desk),
    ...deploymentRoutes(desk),
  ];
}

function tenantRoutes(desk: Desk): ServedRoute[] {
  const { deployment } = desk;
  return [
    serve(declared.listTenantApprovals)(async (asked) =>
      answerList(desk, await existingTenant(deployment, asked), asked),
    ),
    serve(declared.approveInTenant)(async (asked) => {
      const tenantId = await existingTenant(deployment, asked);
      return answerApproved(desk, tenantId, asked);
    }),
    serve(declared.declineInTenant)(async (asked) => {
      const tenantId = await existingTenant(deployment, asked);
      return answerDeclined(desk, tenantId, asked);
    }),
  ];
}

function deploymentRoutes(desk: Desk): ServedRoute[] {
  return [
    serve(declared.listApprovals)((asked) => answerList(desk, null, asked)),
    serve(declared.approve)((asked) => answerApproved(desk, null, asked)),
    serve(declared.decline)((asked) => answerDeclined(desk, null, asked)),
  ];
}

type Deciding = Pick<
  Asked<(typeof declared)['approve']>,
  'params' | 'caller' | 'from' | 'requestId'
>;

async function answerList(
  { office, find }: Desk,
  tenantId: string | null,
  { caller, query }: Pick<Asked<(typeof declared)['listApprovals']>, 'caller' | 'query'>,
) {
  const page = pageOf(query);
  refuseForeignCursor(page.after);
  const at = office.clock.now();
  const rows = await listApprovals(office.pool, { tenantId, state: query.state, at }, page);
  const approvals = rows.map((row) => describe(row, at, mayDo(find, caller, row)));
  const last = rows.length < page.limit ? undefined : rows.at(-1);
  const next = last && { at: last.requestedAt.toISOString(), id: last.approvalId };
  return { status: 200, body: { approvals, nextCursor: nextCursor(next) } } as const;
}

/** What was asked is for those who could have it done. */
function describe(row: ApprovalRow, at: Date, isTheirs: boolean) {
  const { params, search: _s, requestedPerson: _p, body, state, ...approval } = row;
  const { tenantId: _t, ...target } = params;
  const isOver = state === 'pending' && row.expiresAt <= at;
  const shown: ApprovalState = isOver ? 'expired' : state;
  return { ...approval, target, asked: isTheirs && !isOver ? body : null, state: shown };
}

async function answerDeclined(desk: Desk, tenantId: string | null, asked: Deciding) {
  const { office } = desk;
  const row = await approvalOf(desk, tenantId, asked);
  const declined = await decline(office, row, asked.caller);
  if (declined === undefined) throw decided();
  const body = describe(declined, office.clock.now(), true);
  return { status: 200, body, target: targetOf(row) } as const;
}

/**
 * It is done in the name of whoever asked, who must still be allowed to; the audit list names both.
 * What answers that there is more is done again, as nobody approves a page after the other.
 */
async function answerApproved(desk: Desk, tenantId: string | null, asked: Deciding) {
  const { office, find } = desk;
  const row = await approvalOf(desk, tenantId, asked);
  const served = find(row.action);
  const requester = await identifyActor(office, row.requestedBy);
  if (served === undefined || !mayDo(find, requester, row)) {
    throw conflict('The person who requested this no longer has the right to do it.');
  }
  const { outcome } = await approve(office, row, asked.caller);
  if (outcome === 'no-person') throw forbidden('A person approves, or a token that one has made.');
  if (outcome === 'same-person') throw forbidden('Another person approves than the one who asked.');
  if (outcome === 'decided') throw decided();
  const answer = await perform(served, requestOf(row, requester, asked)).catch(
    async (error: unknown) => {
      await endOf(office, row, error instanceof Refusal ? statusOf(error) : 500);
      throw error;
    },
  );
  await endOf(office, row, answer.status);
  const { approvalId } = row;
  const body = { approvalId, state: 'done', status: answer.status, answer: answer.body } as const;
  return { status: 200, body, target: targetOf(row) } as const;
}

async function perform({ handle }: ServedRoute, request: AdminRequest): Promise<Answer> {
  const endMs = performance.now() + repeatMs;
  let answer = await handle(request);
  while ((answer.body as { more?: unknown }).more === true && performance.now() < endMs) {
    const next = await handle(request);
    answer = { ...next, body: summed(answer.body as Sums, next.body as Sums) };
  }
  return answer;
}

type Sums = Readonly<Record<string, unknown>>;

function summed(before: Sums, next: Sums): Sums {
  const sums = Object.entries(next).map(([name, value]) => {
    const first = before[name];
    return [name, typeof value === 'number' && typeof first === 'number' ? first + value : value];
  });
  return Object.fromEntries(sums) as Sums;
}

/** The edge waits for 30 s. */
const repeatMs = 15_000;

function requestOf(row: ApprovalRow, requester: Caller, asked: Deciding): AdminRequest {
  const body = () => Promise.resolve(row.body);
  return {
    params: row.params,
    search: row.search,
    requestId: asked.requestId,
    caller: requester,
    stillAdmitted: () => Promise.resolve(requester),
    remainsAdmitted: () => Promise.resolve(requester),
    from: asked.from,
    signOn: undefined,
    json: body,
    optionalJson: body,
  };
}

/** @throws {Refusal} NOT_FOUND, FORBIDDEN: whoever decides has the right for it themselves. */
async function approvalOf(
  { office, find }: Desk,
  tenantId: string | null,
  { params: { approvalId }, caller }: Deciding,
): Promise<ApprovalRow> {
  const row = uuidPattern.test(approvalId)
    ? await findApproval(office.pool, tenantId, approvalId)
    : undefined;
  if (row === undefined) throw new Refusal('NOT_FOUND', { detail: 'There is no such approval.' });
  const right = find(row.action)?.route.right;
  if (right !== undefined && needsRole(right) && !mayDo(find, caller, row)) throw missing(right);
  return row;
}

function mayDo(find: FindAction, caller: Caller, { action, tenantId }: ApprovalRow): boolean {
  const right = find(action)?.route.right;
  if (right === undefined || !needsRole(right)) return false;
  return tenantId === null ? maySomewhere(caller, right) : may(caller, right, tenantId);
}

function targetOf({ approvalId, action, requestedBy, params }: ApprovalRow) {
  const { tenantId: _t, ...named } = params;
  return redact({ ...named, approvalId, action, requestedBy }) as Record<string, string>;
}

function decided(): Refusal {
  return conflict('This approval has already been decided or has expired.');
}

function conflict(detail: string): Refusal {
  return new Refusal('CONFLICT', { detail });
}

function forbidden(detail: string): Refusal {
  return new Refusal('FORBIDDEN', { detail });
}
