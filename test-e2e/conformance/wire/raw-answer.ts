/** An answer as it stood on the wire; header names in lower case, repeated ones kept apart. */
export type RawAnswer = {
  status: number;
  headers: readonly (readonly [name: string, value: string])[];
  body: Buffer;
  /** Whether the connection may carry another request. */
  keepAlive: boolean;
};

export function headerOf(answer: RawAnswer, name: string): string | undefined {
  const values = answer.headers.filter(([found]) => found === name).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(', ');
}

/**
 * The first answer in these bytes and its length, or undefined while there is more to come.
 * Throws on anything that is no answer of HTTP/1.1.
 */
export function readAnswer(
  bytes: Buffer,
  toHead: boolean,
): { answer: RawAnswer; length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1];
  if (status === undefined) throw new Error(`no status line: ${JSON.stringify(statusLine)}`);
  const headers = lines.map(readHeader);
  const start = end + 4;
  const framed = toHead ? { body: Buffer.alloc(0), end: start } : readBody(bytes, start, headers);
  if (framed === undefined) return undefined;
  const keepAlive = !headers.some(([name, value]) => name === 'connection' && value === 'close');
  const answer = { status: Number(status), headers, body: framed.body, keepAlive };
  return { answer, length: framed.end };
}

function readHeader(line: string): readonly [string, string] {
  const colon = line.indexOf(':');
  if (colon < 1) throw new Error(`no header: ${JSON.stringify(line)}`);
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

type Framed = { body: Buffer; end: number };

function readBody(bytes: Buffer, start: number, headers: RawAnswer['headers']): Framed | undefined {
  const of = (name: string) => headers.find(([found]) => found === name)?.[1];
  if (of('transfer-encoding') === 'chunked') return readChunks(bytes, start);
  const length = Number(of('content-length') ?? Number.NaN);
  if (!Number.isInteger(length)) throw new Error('an answer without a length');
  const end = start + length;
  return bytes.length < end ? undefined : { body: bytes.subarray(start, end), end };
}

function readChunks(bytes: Buffer, start: number): Framed | undefined {
  const chunks: Buffer[] = [];
  for (let at = start; ;) {
    const line = bytes.indexOf('\r\n', at);
    if (line === -1) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16);
    const next = line + 2 + size + 2;
    if (bytes.length < next) return undefined;
    if (size === 0) return { body: Buffer.concat(chunks), end: next };
    chunks.push(bytes.subarray(line + 2, line + 2 + size));
    at = next;
  }
}
