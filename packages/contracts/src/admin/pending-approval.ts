import { Type } from '@sinclair/typebox';
import { named, nullable, text, utc } from './answer-fields.ts';

/** In place of the answer of what a second person has to approve first. */
export const PendingApproval = named(
  'Pending approval',
  Type.Object({
    approvalId: text,
    /** The name of the route, as in the OpenAPI document. */
    action: text,
    tenantId: nullable(text),
    requestedBy: text,
    requestedAt: utc,
    expiresAt: utc,
    state: Type.Literal('pending'),
  }),
);
