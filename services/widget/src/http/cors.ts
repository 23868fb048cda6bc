import type { IncomingMessage, ServerResponse } from 'node:http';
import { endEmpty } from './end-empty.ts';

/** What pages of other origins may do with a path. */
export type CorsRules = { methods: string };

/**
 * Says to the browser that the page which asks may read the answer, whatever the answer will be.
 * Which pages are answered with something is evaluated by the routes: here nobody is kept from
 * anything, as whoever has no browser can ask without an origin. No credentials: nothing here knows
 * a cookie.
 */
export function answerOrigin(req: IncomingMessage, res: ServerResponse): string | undefined {
  res.setHeader('Vary', 'Origin');
  const { origin } = req.headers;
  if (origin === undefined || !originForm.test(origin)) return undefined;
  res.setHeader('Access-Control-Allow-Origin', origin);
  res.setHeader('Access-Control-Expose-Headers', 'Retry-After, X-Request-Id');
  return origin;
}

/**
 * To a browser that asks before it sends; it remembers the answer for two hours, the most it would.
 */
export function answerPreflight(res: ServerResponse, { methods }: CorsRules): void {
  endEmpty(res, 204, {
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': 'content-type',
    'Access-Control-Max-Age': '7200',
  });
}

/** `null` is the origin of a page without one (a sandboxed frame). */
const originForm = /^(?:null|[a-z][a-z0-9+.-]*:\/\/[!-~]{1,300})$/i;
