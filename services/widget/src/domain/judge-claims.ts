/**
 * What makes a widget token no good (interface 5; design 8, "Widget token"), for the log and the
 * metrics; whoever asked is told the same of all of them.
 */
export const tokenFaults = [
  /** Not three parts that can be read. */
  'form',
  'algorithm',
  /** A header that asks for what nobody here understands (RFC 7515, 4.1.11). */
  'critical-header',
  /** No product has this id, or its tenant is not active. */
  'product',
  /** Signed with something else than the product's secret. */
  'signature',
  /** Other members than the three, or of another type. */
  'claims',
  'issued-ahead',
  /** Older than the tenant allows. */
  'too-old',
] as const;
export type TokenFault = (typeof tokenFaults)[number];

export type WidgetClaims = { productId: string; productUserId: string; iat: number };
export type ClaimsJudgement =
  { outcome: 'claims'; claims: WidgetClaims } | { outcome: 'fault'; fault: TokenFault };

/** How far the clock of the customer's server may be ahead of this one (design 8). */
export const clockSkewSeconds = 300;

/** The payload of a token: exactly three claims, and a time of issue that can be. */
export function judgeClaims(
  payload: unknown,
  { nowSeconds, maxAgeSeconds }: { nowSeconds: number; maxAgeSeconds: number | null },
): ClaimsJudgement {
  if (!isClaims(payload)) return { outcome: 'fault', fault: 'claims' };
  const ageSeconds = nowSeconds - payload.iat;
  if (ageSeconds < -clockSkewSeconds) return { outcome: 'fault', fault: 'issued-ahead' };
  if (maxAgeSeconds !== null && ageSeconds > maxAgeSeconds) {
    return { outcome: 'fault', fault: 'too-old' };
  }
  return { outcome: 'claims', claims: payload };
}

function isClaims(payload: unknown): payload is WidgetClaims {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return false;
  if (Object.keys(payload).sort().join() !== 'iat,productId,productUserId') return false;
  const { productId, productUserId, iat } = payload as Record<string, unknown>;
  return isId(productId) && isId(productUserId) && Number.isSafeInteger(iat) && Number(iat) >= 0;
}

/** As ids of the contract are (interface 8): 1 to 255 code points that Postgres and UTF-8 can hold. */
function isId(value: unknown): boolean {
  if (typeof value !== 'string' || !value.isWellFormed() || value.includes('\0')) return false;
  return value.length > 0 && value.length <= 510 && [...value].length <= 255;
}
