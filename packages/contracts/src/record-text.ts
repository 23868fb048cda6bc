import { Type } from '@sinclair/typebox';

/**
 * Text that travels in records. The API refuses worse at the door (interface 8), but a record may
 * come from anywhere, and one that no table takes would stop its partition for ever: Postgres text
 * holds no NUL, and an index row no more than about 2,700 bytes. 510 UTF-16 units are the 255
 * characters of the contract at their longest.
 */
export const Id = Type.String({ minLength: 1, maxLength: 510, pattern: '^[^\\u0000]*$' });

/** A referral code as reported; the legacy endpoint takes none at all (empty). */
export const ReportedUcc = Type.String({ maxLength: 510, pattern: '^[^\\u0000]*$' });

export const Uuid = Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' });

/** UTC with milliseconds, as this system writes time. */
export const UtcTimestamp = Type.String({
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$',
});

/** No colon: record keys are split at the first one. */
export const TenantId = Type.String({ minLength: 1, maxLength: 64, pattern: '^[^:\\u0000]+$' });

/** What an operator says for other people to read: 1,000 characters at their longest. */
export const Remark = Type.String({ maxLength: 2_000, pattern: '^[^\\u0000]*$' });

/**
 * JSON text of a business key: ids of the contract, escaped at their longest, still fit an index.
 */
export const BusinessKey = Type.String({
  minLength: 1,
  maxLength: 2_000,
  pattern: '^[^\\u0000]*$',
});
