import { Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object.ts';
import { adminRoute } from './admin-route.ts';
import { list, named, nullable, oneOfTexts, text, utc } from './answer-fields.ts';
import { page } from './paging.ts';
import { PendingApproval } from './pending-approval.ts';
import { oneOf } from './query-parameters.ts';

/**
 * `approved`: it is being done, or the process ended before it knew. `failed`: it was approved and
 * then refused, as whatever is asked for may be.
 */
export const approvalStates = [
  ...(['pending', 'approved', 'done', 'failed', 'declined', 'expired'] as const),
] as const;
export type ApprovalState = (typeof approvalStates)[number];

const { state: _pending, ...asked } = PendingApproval.properties;
const Approval = named(
  'Approval',
  Type.Object({
    ...asked,
    /** Which one of many it is about. */
    target: Type.Record(Type.String(), Type.String()),
    /** The body of the request, while it waits; null afterwards. */
    asked: Type.Unknown(),
    state: oneOfTexts(...approvalStates),
    decidedBy: nullable(text),
    decidedAt: nullable(utc),
    /** With which the action was answered once it was approved. */
    status: nullable(Type.Integer()),
  }),
);
const Page = Type.Object({ ...list('approvals', Approval).properties, nextCursor: nullable(text) });
const query = { state: oneOf(...approvalStates), ...page };
const Approved = Type.Object({
  approvalId: text,
  state: Type.Literal('done'),
  status: Type.Integer(),
  /** What the action answered. */
  answer: Type.Unknown(),
});
const conflict = 'it is already decided or expired, or the requester may no longer do it';

/** Where one person asks and another one decides. */
export const approvalRoutes = {
  showSecondPerson: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/second-person',
    right: 'read',
    summary: 'Shows whether bulk actions in a tenant require a second person.',
    answers: {
      200: Type.Object({
        required: Type.Boolean(),
        /** By the configuration, for every tenant. */
        byDeployment: Type.Boolean(),
      }),
    },
  }),
  setSecondPerson: adminRoute({
    method: 'PUT',
    path: '/api/tenants/{tenantId}/second-person',
    right: 'own',
    confirmed: true,
    secondPerson: true,
    summary:
      'Sets whether bulk actions in a tenant require a second person; turning this off requires one itself.',
    body: closedObject({ required: Type.Boolean() }),
    answers: { 200: Type.Object({ required: Type.Boolean() }) },
  }),
  listTenantApprovals: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/approvals',
    right: 'read',
    summary: 'Lists the approvals of a tenant, pending and decided, newest first.',
    query,
    answers: { 200: Page },
  }),
  approveInTenant: adminRoute({
    method: 'POST',
    path: '/api/tenants/{tenantId}/approvals/{approvalId}/approve',
    right: 'review',
    confirmed: true,
    summary:
      'Approves the action, which is then done on behalf of the requester; for another person who has the right to do it.',
    answers: { 200: Approved },
    conflict,
  }),
  declineInTenant: adminRoute({
    method: 'DELETE',
    path: '/api/tenants/{tenantId}/approvals/{approvalId}',
    right: 'review',
    summary: 'Declines or withdraws the request; for people who have the right to do it.',
    answers: { 200: Approval },
    conflict: 'it is already decided or expired',
  }),
  listApprovals: adminRoute({
    method: 'GET',
    path: '/api/approvals',
    right: 'deployment',
    summary: 'Lists the approvals of the whole deployment.',
    query,
    answers: { 200: Page },
  }),
  approve: adminRoute({
    method: 'POST',
    path: '/api/approvals/{approvalId}/approve',
    right: 'deployment',
    confirmed: true,
    summary:
      'Approves the action, which is then done on behalf of the requester; for another person.',
    answers: { 200: Approved },
    conflict,
  }),
  decline: adminRoute({
    method: 'DELETE',
    path: '/api/approvals/{approvalId}',
    right: 'deployment',
    summary: 'Declines or withdraws the request.',
    answers: { 200: Approval },
    conflict: 'it is already decided or expired',
  }),
};
