import type { IncomingMessage, ServerResponse } from 'node:http';

export type Answer = {
  status: number;
  /** A page; else a text or a file. */
  html?: string;
  text?: string;
  file?: { type: string; bytes: Buffer };
  location?: string;
  cookie?: string;
  allow?: string;
};

/** After a form: the browser asks for the page, so that a reload sends nothing twice. */
export function redirect(location: string, cookie?: string): Answer {
  return { status: 303, location, text: '', ...(cookie === undefined ? {} : { cookie }) };
}

export function send(
  req: IncomingMessage,
  res: ServerResponse,
  answer: Answer,
  { assetsUrl }: { assetsUrl: string },
): void {
  const { status, html, text = '', file, location, cookie, allow } = answer;
  const type = html === undefined ? 'text/plain; charset=utf-8' : 'text/html; charset=utf-8';
  const body = file?.bytes ?? Buffer.from(html ?? text);
  res.writeHead(status, {
    'content-type': file?.type ?? type,
    'content-length': body.length,
    'cache-control': file === undefined ? 'no-store' : 'no-cache',
    'content-security-policy': policy(assetsUrl),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
    ...(location === undefined ? {} : { location }),
    ...(cookie === undefined ? {} : { 'set-cookie': cookie }),
    ...(allow === undefined ? {} : { allow }),
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}

/**
 * As strict as a page can be; of the referral service it has only what the documentation asks for:
 * `script-src` and `connect-src` of the assets' address.
 */
function policy(assetsUrl: string): string {
  const { origin } = new URL(assetsUrl);
  return [
    "default-src 'none'",
    `script-src 'self' ${origin}`,
    `connect-src ${origin}`,
    "style-src 'self'",
    "img-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}

const formLimitBytes = 16_384;

/** The fields of a posted form; undefined when it is none, or too large. */
export async function readForm(req: IncomingMessage): Promise<URLSearchParams | undefined> {
  if (!req.headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
    return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req) {
    bytes += (chunk as Buffer).length;
    if (bytes > formLimitBytes) return undefined;
    chunks.push(chunk as Buffer);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}
