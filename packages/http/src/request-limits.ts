import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIPv6 } from 'node:net';
import { counter, createMetrics, type MetricsRegistry } from './metrics.ts';
import { sendProblem } from './problem-response.ts';
import { createTokenBuckets } from './token-buckets.ts';

export type RequestLimits<N extends string> = {
  /** Answers a request with 429 when its address has sent too many; then nothing else may. */
  refuseFlood(limit: N, req: IncomingMessage, res: ServerResponse): boolean;
  /** The same for anything else: in how many seconds there may be another; undefined: now. */
  waitFor(limit: N, key: string): number | undefined;
};

/**
 * How many requests a second there may be of one address, or of one key, by the name of a limit;
 * with bursts of ten seconds' worth. Each process counts by itself. The code of a 429 is
 * SERVICE_UNAVAILABLE: the list of interface 7 is closed.
 */
export function createRequestLimits<N extends string>(
  perSecond: Readonly<Record<N, number>>,
  registry: MetricsRegistry,
): RequestLimits<N> {
  const take = createTokenBuckets({});
  const metrics = createMetrics(registry, {
    tributary_requests_limited_total: counter(
      'Requests refused with 429 because their address, or their user, made too many.',
      ['limit'],
    ),
  });

  function waitFor(limit: N, key: string): number | undefined {
    const seconds = take(JSON.stringify([limit, key]), { perSecond: perSecond[limit] });
    if (seconds !== undefined) metrics.tributary_requests_limited_total.inc({ limit });
    return seconds;
  }

  return {
    waitFor,
    refuseFlood(limit, req, res) {
      const retryAfterSeconds = waitFor(limit, addressOf(req));
      if (retryAfterSeconds === undefined) return false;
      const detail = 'Too many requests came from this address. Try again later.';
      sendProblem(res, 'SERVICE_UNAVAILABLE', { status: 429, retryAfterSeconds, detail });
      return true;
    },
  };
}

/** Who is at the other side of the edge, which writes this header itself. */
export function addressOf(req: IncomingMessage): string {
  const header = req.headers['x-forwarded-for'];
  const written = Array.isArray(header) ? header.at(-1) : header;
  const address = written?.split(',').at(-1)?.trim() || req.socket.remoteAddress || 'unknown';
  return networkOf(address);
}

/**
 * What an address is counted with. An IPv6 network counts as one: whoever has an address there has
 * as many as they like.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address) || /^::ffff:[\d.]+$/i.test(address)) return address;
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = groups.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  const whole = [...first, ...Array.from({ length: zeros }, () => '0'), ...last];
  return `${whole.slice(0, 4).join(':')}::/64`;
}
