/**
 * What makes a widget token no good (interface 5; design 8, "Widget token"), for operators, the log
 * and the metrics; a browser is told the same of all of them.
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

/** `detail` repeats parts of the token, so it is for authenticated operators only, and no log. */
export type FaultFound = { outcome: 'fault'; fault: TokenFault; detail: string };

export type WidgetClaims = { productId: string; productUserId: string; iat: number };
export type ClaimsValidation = { outcome: 'claims'; claims: WidgetClaims } | FaultFound;

/** How far the clock of the customer's server may be ahead of this one (design 8). */
export const clockSkewSeconds = 300;

/** The payload of a token: exactly three claims, and a time of issue that can be. */
export function validateClaims(
  payload: unknown,
  { nowSeconds, maxAgeSeconds }: { nowSeconds: number; maxAgeSeconds: number | null },
): ClaimsValidation {
  const mistakes = claimMistakes(payload);
  if (mistakes.length > 0) return faultFound('claims', `${mistakes.join('; ')}.`);
  const claims = payload as WidgetClaims;
  const ageSeconds = nowSeconds - claims.iat;
  if (ageSeconds < -clockSkewSeconds) {
    const detail = `iat is ${-ageSeconds} seconds ahead of the server's clock; at most ${clockSkewSeconds} are allowed. It counts whole seconds since 1970.`;
    return faultFound('issued-ahead', detail);
  }
  if (maxAgeSeconds !== null && ageSeconds > maxAgeSeconds) {
    const detail = `The token is ${ageSeconds} seconds old; this tenant accepts tokens of at most ${maxAgeSeconds}.`;
    return faultFound('too-old', detail);
  }
  return { outcome: 'claims', claims };
}

export function faultFound(fault: TokenFault, detail: string): FaultFound {
  return { outcome: 'fault', fault, detail };
}

/** Text of a token within a sentence: of one line, and never long. */
export function quotedFromToken(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= 80 ? text : `${text.slice(0, 80)} …`;
}

const expected = {
  productId: { test: isId, must: 'must be text of 1 to 255 characters' },
  productUserId: { test: isId, must: 'must be text of 1 to 255 characters' },
  iat: { test: isTime, must: 'must be a whole number of seconds since 1970' },
} as const;

/** Names each claim that is not as interface 5 has it. */
function claimMistakes(payload: unknown): string[] {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    return ['The claims are not a JSON object'];
  }
  const claims = payload as Record<string, unknown>;
  const wrong = Object.entries(expected).flatMap(([name, { test, must }]) => {
    if (!Object.hasOwn(claims, name)) return [`${name} is missing`];
    return test(claims[name]) ? [] : [`${name} ${must}`];
  });
  const others = Object.keys(claims).filter((name) => !Object.hasOwn(expected, name));
  const named = others.slice(0, 5).map(quotedFromToken).join(', ');
  if (others.length === 0) return wrong;
  const more = others.length > 5 ? `${named} and ${others.length - 5} others` : named;
  return [
    ...wrong,
    `${more} must not be there: the claims are ${Object.keys(expected).join(', ')}`,
  ];
}

/**
 * As ids of the contract are (interface 8): 1 to 255 code points that Postgres and UTF-8 can hold.
 */
function isId(value: unknown): boolean {
  if (typeof value !== 'string' || !value.isWellFormed() || value.includes('\0')) return false;
  return value.length > 0 && value.length <= 510 && [...value].length <= 255;
}

function isTime(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
