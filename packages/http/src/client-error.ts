import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { buildProblem, type ProblemCode } from '@tributary/contracts/problem';
import type { RefusalForm } from './problem-response.ts';

/** The answer to what never became a request, and what the log says of it. */
export type ConnectionRefusal = { requestId: string; status: number; text: string };

/**
 * The whole answer, as text, to what cannot be parsed, is too large or comes too slowly. Mostly
 * there is no request yet, and the id is made here. The connection ends with the answer.
 */
export function connectionRefusal(
  errorCode: string | undefined,
  form: RefusalForm,
  requestId: string = randomUUID(),
): ConnectionRefusal {
  const { code, status, detail } = refusals[errorCode ?? ''] ?? malformed;
  const { contentType, body } = form(buildProblem(code, { status, detail, instance: requestId }));
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${contentType}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${requestId}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return { requestId, status, text: [...lines, '', body].join('\r\n') };
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
    detail: 'The request line and headers may have at most 16384 bytes and 1000 fields.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    code: 'PAYLOAD_TOO_LARGE',
    status: 413,
    detail: 'The chunk extensions of the body are too large.',
  },
  CONNECT: {
    code: 'MALFORMED_JSON',
    status: 400,
    detail: 'CONNECT is not served.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: 'MALFORMED_JSON',
    status: 408,
    detail: 'The request did not arrive in time.',
  },
};

/** The name under which a CONNECT is refused; node has no error code for it. */
export const connectMethod = 'CONNECT';
