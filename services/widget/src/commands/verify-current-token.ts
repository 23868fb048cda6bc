import type { TokenReading, VerifyWidgetToken } from '@tributary/http/widget-token';

export type VerifyCurrentToken = (token: string) => Promise<TokenReading>;

/**
 * What was set up a moment ago may not have been read here yet, so a token that fails by its
 * product or by the product's secret is evaluated again when all of the catalog has been read
 * (docs/decisions/0022).
 */
export function createCurrentTokenVerifier(options: {
  verify: VerifyWidgetToken;
  becomeCurrent: () => Promise<unknown>;
}): VerifyCurrentToken {
  const { verify, becomeCurrent } = options;
  return async (token) => {
    const reading = verify(token);
    if (reading.outcome === 'user') return reading;
    if (reading.fault !== 'product' && reading.fault !== 'signature') return reading;
    await becomeCurrent();
    return verify(token);
  };
}
