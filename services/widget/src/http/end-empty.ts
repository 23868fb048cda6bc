import type { ServerResponse } from 'node:http';

/** An answer that has no body by its status, 204 or 304, and hence no length (RFC 9110, 8.6). */
export function endEmpty(
  res: ServerResponse,
  status: 204 | 304,
  headers: Record<string, string>,
): void {
  if (res.destroyed) return;
  res.writeHead(status, headers);
  res.end();
  if (!res.req.complete) res.req.resume();
}
