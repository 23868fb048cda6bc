import { type Static, Type } from '@sinclair/typebox';
import { createCodec } from './record.ts';

/**
 * A referral code (UCC) on `referral.codes`. `version` grows with every change of the code; a
 * reader ignores a version not above the one it has. For one ucc the first publication wins.
 */
export const CodeRecord = Type.Object({
  schemaVersion: Type.Literal(1),
  type: Type.Union([Type.Literal('code-issued'), Type.Literal('code-disabled')]),
  tenantId: Type.String({ minLength: 1 }),
  ucc: Type.String({ minLength: 1, maxLength: 255 }),
  version: Type.Integer({ minimum: 1 }),
  campaignId: Type.String({ minLength: 1 }),
  /** The referrer: who owns the code. */
  productUserId: Type.String({ minLength: 1 }),
  /** When the change holds from, UTC with milliseconds. */
  at: Type.String(),
});
export type CodeRecord = Static<typeof CodeRecord>;

export const codeCodec = createCodec({ name: 'code', schemaVersion: 1, schema: CodeRecord });
