import { Agent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as TlsAgent, request as requestHttps } from 'node:https';
import type { Came } from './evaluate-answer.ts';

/**
 * One POST, sent and read like a delivery: one timeout for all of it, no redirect, a bounded
 * answer.
 */
export type Exchange = {
  post(request: { headers: Record<string, string>; body: string }): Promise<Came>;
  close(): void;
};

/** The service reads this much of an answer, and closes the connection to what is longer. */
export const answerLimitBytes = 16 * 1024;

export function createExchange({ url, timeoutMs }: { url: URL; timeoutMs: number }): Exchange {
  const isTls = url.protocol === 'https:';
  const agent = isTls ? new TlsAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  const request = isTls ? requestHttps : requestHttp;

  const answerTo = (headers: Record<string, string>, body: string, signal: AbortSignal) =>
    new Promise<Outcome>((resolve) => {
      const sent = request(url, { method: 'POST', headers, agent, signal });
      sent.on('error', (error) => resolve(failure('connection', detailOf(error))));
      sent.on('response', (answer) => void readBounded(answer).then(resolve));
      sent.end(body);
    });

  return {
    async post({ headers, body }) {
      const startedMs = performance.now();
      const timer = new AbortController();
      let timeout: NodeJS.Timeout | undefined;
      const late = new Promise<Outcome>((resolve) => {
        const detail = `the answer had not ended after ${timeoutMs / 1000} s`;
        timeout = setTimeout(() => {
          resolve(failure('timeout', detail));
          timer.abort();
        }, timeoutMs);
      });
      const sized = { ...headers, 'content-length': String(Buffer.byteLength(body)) };
      try {
        const outcome = await Promise.race([answerTo(sized, body, timer.signal), late]);
        return { ...outcome, durationMs: Math.round(performance.now() - startedMs) };
      } finally {
        clearTimeout(timeout);
      }
    },
    close: () => agent.destroy(),
  };
}

type Outcome = Came extends infer One
  ? One extends Came
    ? Omit<One, 'durationMs'>
    : never
  : never;

async function readBounded(answer: IncomingMessage): Promise<Outcome> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > answerLimitBytes) break;
    }
  } catch {
    // The status was said; that the rest broke off changes nothing. Too late is said by the timer.
  }
  const { statusCode: status = 0, headers } = answer;
  const body = Buffer.concat(chunks).subarray(0, answerLimitBytes).toString('utf8');
  const { location } = headers;
  return { came: 'answer', status, body, ...(location !== undefined && { location }) };
}

function failure(kind: 'timeout' | 'connection', detail: string): Outcome {
  return { came: 'nothing', failure: kind, detail };
}

const detail: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host name cannot be looked up now',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an authority that is not public',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate comes without the ones that vouch for it',
  EPROTO: 'it does not speak TLS as it should',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
};

function detailOf(error: unknown): string {
  const { code, message, cause, errors } = error as {
    code?: string;
    message?: string;
    cause?: unknown;
    errors?: unknown[];
  };
  const inner = errors?.[0] ?? cause;
  if (inner !== undefined && code === undefined) return detailOf(inner);
  return detail[code ?? ''] ?? code ?? message ?? 'unknown reason';
}
