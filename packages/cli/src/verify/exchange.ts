import { Agent } from 'undici';
import type { Came } from './evaluate-answer.ts';

/**
 * One POST, sent and read like a delivery: one timeout for all of it, no redirect, a bounded
 * answer.
 */
export type Exchange = {
  post(request: { headers: Record<string, string>; body: string }): Promise<Came>;
  close(): Promise<void>;
};

/** The service reads this much of an answer, and closes the connection to what is longer. */
export const answerLimitBytes = 16 * 1024;

export function createExchange({ url, timeoutMs }: { url: URL; timeoutMs: number }): Exchange {
  const agent = new Agent({
    allowH2: false,
    pipelining: 1,
    connections: null,
    connect: { timeout: timeoutMs },
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    async post({ headers, body }) {
      const startedMs = performance.now();
      const timer = new AbortController();
      const timeout = setTimeout(() => timer.abort(), timeoutMs);
      // The race is needed: undici notices an abort only once a connection is there.
      const late = new Promise<Outcome>((resolve) => {
        timer.signal.addEventListener('abort', () => resolve(tooLate(timeoutMs)));
      });
      try {
        const target = { origin: url.origin, path: url.pathname + url.search };
        const request = { ...target, method: 'POST', headers, body, signal: timer.signal } as const;
        const outcome = await Promise.race([answerTo(agent, request), late]);
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

async function answerTo(agent: Agent, request: Parameters<Agent['request']>[0]): Promise<Outcome> {
  try {
    const { statusCode, headers, body } = await agent.request(request);
    const { location } = headers;
    return {
      ...{ came: 'answer', status: statusCode, body: await readBounded(body) },
      ...(typeof location === 'string' && { location }),
    };
  } catch (error) {
    return { came: 'nothing', failure: 'connection', detail: detailOf(error) };
  }
}

type AnswerBody = AsyncIterable<Buffer> & {
  destroy(): unknown;
  on(event: 'error', listener: () => void): unknown;
};

async function readBounded(body: AnswerBody): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  body.on('error', () => undefined);
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > answerLimitBytes) break;
    }
  } catch {
    // The status was said; that the rest broke off changes nothing. Too late is said by the timer.
  } finally {
    body.destroy();
  }
  return Buffer.concat(chunks).subarray(0, answerLimitBytes).toString('utf8');
}

function tooLate(timeoutMs: number): Outcome {
  const detail = `the answer had not ended after ${timeoutMs / 1000} s`;
  return { came: 'nothing', failure: 'timeout', detail };
}

const detail: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host name cannot be looked up now',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
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
  if (inner !== undefined && (code === undefined || code === 'UND_ERR_SOCKET'))
    return detailOf(inner);
  return detail[code ?? ''] ?? code ?? message ?? 'unknown reason';
}
