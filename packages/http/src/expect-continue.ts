import type { IncomingMessage, ServerResponse } from 'node:http';

// `Expect: 100-continue` asks whether the body is wanted. Node would say yes at once; here the
// answer is given when the body is about to be read, so that 401 and 413 come instead of it.

const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** The caller keeps its body back until it is invited. */
export function holdInvitation(req: IncomingMessage, res: ServerResponse): void {
  waiting.set(req, res);
}

/** The body is wanted now: `100 Continue`, if the caller waits for it. */
export function inviteBody(req: IncomingMessage): void {
  const res = waiting.get(req);
  if (res === undefined) return;
  waiting.delete(req);
  if (!res.headersSent) res.writeContinue();
}

/**
 * Nobody can tell whether the body of such a request will follow its refusal, and so neither where
 * the next request begins: the connection must end with the answer.
 */
export function isUninvited(req: IncomingMessage): boolean {
  return waiting.has(req);
}
