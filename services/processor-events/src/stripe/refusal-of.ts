import { Stripe } from 'stripe';
import { type Refusal, type StripeAccount, type StripeLimit, stripeLimits } from './api.ts';

/**
 * What a failed request means (docs.stripe.com/api/errors). Only 404 of an object says something of
 * the object; 409 is another request with the same key or lock; whatever has no status of Stripe's
 * own (no connection, too late, an answer that is no JSON) is asked again.
 */
export function refusalOf(
  error: unknown,
  account: StripeAccount,
): { outcome: 'absent' } | (Refusal & { replayed?: boolean }) {
  if (!(error instanceof Stripe.errors.StripeError)) {
    return { outcome: 'later', detail: 'The request to Stripe failed.' };
  }
  const { statusCode: status, code } = error;
  if (status === 404 && code === 'resource_missing') return { outcome: 'absent' };
  const detail = withoutSecrets(detailOf(error), account);
  const replayed = error.headers?.['idempotent-replayed'] === 'true' && { replayed: true };
  if (status !== undefined && status < 500 && !again.has(status)) {
    const because = status === 401 ? 'key-rejected' : status === 403 ? 'not-permitted' : undefined;
    return { outcome: 'refused', detail, ...(because && { because }), ...replayed };
  }
  const afterMs = retryAfterMs(error.headers?.['retry-after']);
  const limit = limitOf(error);
  return {
    ...{ outcome: 'later', detail },
    ...(afterMs !== undefined && { afterMs }),
    ...(limit && { limit }),
    ...replayed,
  };
}

type StripeError = InstanceType<typeof Stripe.errors.StripeError>;

/** Another request has a lock on the object: that is 429 too, and says nothing of a limit. */
function limitOf({ statusCode, code, headers }: StripeError): StripeLimit | undefined {
  if (statusCode !== 429 || code === 'lock_timeout') return undefined;
  const reason = headers?.['stripe-rate-limited-reason'];
  return stripeLimits.find((limit) => limit === reason) ?? 'unnamed';
}

/** Too slow for Stripe, two requests at once, too many requests. */
const again = new Set([408, 409, 425, 429]);

function detailOf(error: StripeError): string {
  if (error instanceof Stripe.errors.StripeConnectionError) {
    const code = codeOf(error.detail);
    return code === undefined ? error.message : `Stripe cannot be reached (${code}).`;
  }
  const { statusCode, requestId } = error;
  const about = [
    statusCode === undefined ? '' : `status ${statusCode}`,
    limitOf(error) ?? '',
    requestId ? `request ${requestId}` : '',
  ].filter((part) => part !== '');
  return about.length === 0 ? error.message : `${error.message} (${about.join(', ')})`;
}

/** The code of the library's own timeouts, and of fetch, which has it in the cause. */
function codeOf(error: unknown): string | undefined {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  // A timeout has words of its own, with the time.
  if (code === 'ETIMEDOUT') return undefined;
  return typeof cause?.code === 'string' ? cause.code : undefined;
}

/** Seconds, or a date; nothing longer than a day is believed. */
function retryAfterMs(header: unknown): number | undefined {
  if (typeof header !== 'string' || header.trim() === '') return undefined;
  const seconds = Number(header);
  const afterMs = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1_000;
  return Number.isFinite(afterMs) && afterMs >= 0 ? Math.min(afterMs, 86_400_000) : undefined;
}

/** Stripe masks keys in its messages, yet not always; what reaches a log or a person has none. */
function withoutSecrets(text: string, { apiKey }: StripeAccount): string {
  return text
    .replaceAll(apiKey, '***')
    .replace(/\b((?:sk|rk|pk|whsec)_(?:(?:live|test|org)_)*)[A-Za-z0-9+/=*]+/g, '$1***')
    .slice(0, 500);
}
