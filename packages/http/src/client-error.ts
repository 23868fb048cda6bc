import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { buildProblem, type ProblemCode } from '@tributary/contracts/problem';

/**
 * The whole answer, as text, to what never became a request: headers that cannot be parsed, are too
 * large or come too slowly. There is no request object and no id; the connection ends with it.
 */
export function clientErrorAnswer(errorCode: string | undefined): string {
  const { code, status, detail } = refusals[errorCode ?? ''] ?? malformed;
  const body = JSON.stringify(buildProblem(code, { status, detail }));
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

type Refusal = { code: ProblemCode; status: number; detail: string };

const malformed: Refusal = {
  code: 'MALFORMED_JSON',
  status: 400,
  detail: 'The request is not well-formed HTTP.',
};

const refusals: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: {
    code: 'PAYLOAD_TOO_LARGE',
    status: 431,
    detail: 'The request line and headers may have at most 16384 bytes.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    code: 'PAYLOAD_TOO_LARGE',
    status: 413,
    detail: 'The chunk extensions of the body are too large.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: 'MALFORMED_JSON',
    status: 408,
    detail: 'The request did not arrive in time.',
  },
};

/** Time for the other side to read the answer while it may still be sending. */
const lingerMs = 1_000;

/** Writes the answer and closes. Input that still comes is dropped meanwhile, see end-answer.ts. */
export function refuseConnection(socket: Duplex, errorCode: string | undefined): void {
  socket.end(clientErrorAnswer(errorCode));
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
}
