import { type Static, Type } from '@sinclair/typebox';
import { createCodec } from './record.ts';
import { Id, TenantId, UtcTimestamp } from './record-text.ts';

/**
 * A referral code (UCC) on `referral.codes`. `version` grows with every change of the code; a
 * reader ignores a version not above the one it has. For one ucc the first publication wins. A
 * `code-issued` above version 1 enables the code again (docs/decisions/0023).
 */
export const CodeRecord = Type.Object({
  schemaVersion: Type.Literal(1),
  type: Type.Union([Type.Literal('code-issued'), Type.Literal('code-disabled')]),
  tenantId: TenantId,
  ucc: Id,
  version: Type.Integer({ minimum: 1 }),
  campaignId: Id,
  /** The referrer: who owns the code. */
  productUserId: Id,
  /** When the change holds from, UTC with milliseconds. */
  at: UtcTimestamp,
});
export type CodeRecord = Static<typeof CodeRecord>;

export const codeCodec = createCodec({ name: 'code', schemaVersion: 1, schema: CodeRecord });
