/** What is asked of a request: that of node:http has it, and so has that of express. */
export type WebhookRequest = AsyncIterable<unknown> & {
  headers: Record<string, string | string[] | undefined>;
  /** Put there by a body parser, if there was one. */
  body?: unknown;
  readableDidRead?: boolean;
};

export type BodyReading = { outcome: 'read'; body: unknown } | { outcome: 'too-large' };

/**
 * The body, as a parser before us left it, or else its bytes. Some parsers leave an empty object
 * where they read nothing. A body that turns out too large is read to its end and dropped, so that
 * the sender gets to read the answer; one that is announced as such is not read. Throws when the
 * sender leaves in the middle.
 */
export async function readBody(req: WebhookRequest, limitBytes: number): Promise<BodyReading> {
  if (isFilled(req.body) || req.readableDidRead === true)
    return { outcome: 'read', body: req.body };
  if (Number(req.headers['content-length']) > limitBytes) return { outcome: 'too-large' };
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req as AsyncIterable<Uint8Array | string>) {
    const piece = Buffer.from(chunk as Uint8Array);
    bytes += piece.length;
    if (bytes <= limitBytes) chunks.push(piece);
  }
  if (bytes > limitBytes) return { outcome: 'too-large' };
  return { outcome: 'read', body: Buffer.concat(chunks) };
}

function isFilled(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return typeof body === 'string';
  return Object.keys(body).length > 0;
}

/** The JSON value in bytes or text; what is neither has been parsed already. */
export function parseBody(body: unknown): unknown {
  try {
    if (body instanceof Uint8Array) return JSON.parse(utf8.decode(body));
    return typeof body === 'string' ? JSON.parse(body) : body;
  } catch {
    return undefined;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
