/** One request byte for byte; nothing is added to it but Host and the framing of the body. */
export type RawRequest = {
  method: string;
  target: string;
  headers: readonly RawHeader[];
  body?: Buffer;
  framing?: 'content-length' | 'chunked' | 'none';
};
export type RawHeader = readonly [name: string, value: string | Buffer];

export function requestBytes(request: RawRequest, host: string): Uint8Array {
  const { method, target, headers, body } = request;
  const framing = request.framing ?? (body === undefined ? 'none' : 'content-length');
  const parts: Uint8Array[] = [Buffer.from(`${method} ${target} HTTP/1.1\r\nHost: ${host}\r\n`)];
  for (const [name, value] of headers) {
    const bytes = typeof value === 'string' ? Buffer.from(value) : value;
    parts.push(Buffer.from(`${name}: `), bytes, Buffer.from('\r\n'));
  }
  parts.push(...framedBody(framing, body ?? Buffer.alloc(0)));
  return Buffer.concat(parts);
}

function framedBody(framing: 'content-length' | 'chunked' | 'none', body: Buffer): Uint8Array[] {
  if (framing === 'none') return [Buffer.from('\r\n')];
  if (framing === 'content-length') {
    return [Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body];
  }
  const chunks: Uint8Array[] = [Buffer.from('Transfer-Encoding: chunked\r\n\r\n')];
  for (let at = 0; at < body.length; at += 1000) {
    const chunk = body.subarray(at, at + 1000);
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return [...chunks, Buffer.from('0\r\n\r\n')];
}
