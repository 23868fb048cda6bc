import { randomUUID } from 'node:crypto';
import {
  type ApprovalRow,
  decideApproval,
  endApproval,
  insertApproval,
  personBehind,
} from '../db/approvals.ts';
import type { Caller } from '../domain/caller.ts';
import { after, approvalMs } from '../domain/durations.ts';
import type { Office } from './office.ts';

type Asked = Pick<ApprovalRow, 'action' | 'tenantId' | 'params' | 'search' | 'body'>;

/** Keeps what somebody asked for until another person decides, for a day. */
export async function askForApproval({ pool, clock }: Office, asked: Asked, { actor }: Caller) {
  const requestedAt = clock.now();
  const row = {
    ...asked,
    approvalId: randomUUID(),
    requestedBy: actor,
    requestedPerson: (await personBehind(pool, actor)) ?? null,
    requestedAt,
    expiresAt: after(requestedAt, approvalMs),
  };
  await insertApproval(pool, row);
  const { approvalId, action, tenantId, requestedBy, expiresAt } = row;
  const state = 'pending' as const;
  return { approvalId, action, tenantId, requestedBy, requestedAt, expiresAt, state };
}

export type Approving =
  | { outcome: 'approved' }
  /** Whoever asked, or somebody of whom nobody knows who they are. */
  | { outcome: 'same-person' | 'no-person' }
  | { outcome: 'decided' };

/**
 * Whether this one decides it, once. A person is an account: what a token asks or approves, its
 * maker does. From then on it is no longer to be approved, whatever comes of it.
 */
export async function approve(
  { pool, clock }: Office,
  { approvalId, requestedPerson }: ApprovalRow,
  { actor }: Caller,
): Promise<Approving> {
  const person = await personBehind(pool, actor);
  if (person === undefined) return { outcome: 'no-person' };
  if (person === requestedPerson) return { outcome: 'same-person' };
  const decision = { state: 'approved', by: actor, at: clock.now() } as const;
  const decided = await decideApproval(pool, approvalId, decision);
  return { outcome: decided === undefined ? 'decided' : 'approved' };
}

/** Undefined when it is decided, or its time is over. */
export async function decline(
  { pool, clock }: Office,
  { approvalId }: ApprovalRow,
  { actor }: Caller,
): Promise<ApprovalRow | undefined> {
  return decideApproval(pool, approvalId, { state: 'declined', by: actor, at: clock.now() });
}

export async function endOf(
  { pool }: Office,
  { approvalId }: ApprovalRow,
  status: number,
): Promise<void> {
  await endApproval(pool, approvalId, { state: status < 400 ? 'done' : 'failed', status });
}
