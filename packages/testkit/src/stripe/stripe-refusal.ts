import type { Json } from './fixtures.ts';

/** An answer of Stripe's that is an error, with the members of its `error`. */
export class StripeRefusal extends Error {
  readonly status: number;
  readonly body: Json;
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    error: { message: string; type?: string; code?: string; param?: string },
    headers: Record<string, string> = {},
  ) {
    super(error.message);
    this.status = status;
    this.body = { error: { type: 'invalid_request_error', ...error } };
    this.headers = headers;
  }
}

/** @param noun as Stripe says it: `customer`, `payment_intent`. */
export function noSuch(noun: string, id: string, param = 'id'): StripeRefusal {
  const message = `No such ${noun}: '${id}'`;
  return new StripeRefusal(404, { message, code: 'resource_missing', param });
}

/** Stripe names the limit in a header, and sends no Retry-After as a rule. */
export function rateLimited({
  retryAfterSeconds,
  reason = 'global-rate',
}: {
  retryAfterSeconds?: number | undefined;
  reason?: string | undefined;
} = {}): StripeRefusal {
  return new StripeRefusal(
    429,
    { message: 'Request rate limit exceeded.', code: 'rate_limit' },
    {
      'stripe-rate-limited-reason': reason,
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    },
  );
}

export function unauthorized(key: string): StripeRefusal {
  const message =
    key === ''
      ? 'You did not provide an API key.'
      : `Invalid API Key provided: ${key.slice(0, 8)}${'*'.repeat(12)}`;
  return new StripeRefusal(401, { message });
}

export function forbidden(key: string, permission: string): StripeRefusal {
  const message =
    `The provided key '${key.slice(0, 8)}${'*'.repeat(12)}' does not have the required permissions ` +
    `for this endpoint. Having the '${permission}' permission would allow this request to continue.`;
  return new StripeRefusal(403, { message, code: 'more_permissions_required' });
}
