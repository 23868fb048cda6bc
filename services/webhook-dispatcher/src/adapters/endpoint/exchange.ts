import { Agent } from 'undici';
import { classifyConnectionError } from '../../domain/connection-error.ts';
import type { ExchangeEnd } from '../../domain/outcome.ts';

/**
 * One POST to a customer's endpoint, within bounds that the endpoint cannot widen: the whole
 * exchange (look-up, connection, answer with its body) has one timeout; the answer is read up to
 * `answerLimitBytes` and then cut; no redirect is followed; headers are limited by the client.
 *
 * An answer counts once its status is there and its body has ended, was cut or broke off. A body
 * that drips past the timeout is a timeout: the receiver has to answer quickly (6.1 rule 5).
 */
export type Exchange = {
  post(request: {
    origin: string;
    path: string;
    headers: Record<string, string>;
    body: Buffer;
  }): Promise<ExchangeEnd>;
  /** Closes kept connections; to be called when nothing is under way. */
  close(): Promise<void>;
};

export function createExchange(options: { timeoutMs: number; answerLimitBytes: number }): Exchange {
  const { timeoutMs, answerLimitBytes } = options;
  const agent = new Agent({
    allowH2: false,
    pipelining: 1,
    // How many go to one endpoint at once is limited by the claim. A queue here would eat into
    // the timeout of deliveries that only share a host.
    connections: null,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 60_000,
    connect: { timeout: timeoutMs },
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  async function exchange(
    request: Parameters<Exchange['post']>[0],
    signal: AbortSignal,
  ): Promise<ExchangeEnd> {
    try {
      const answer = await agent.request({ ...request, method: 'POST', signal });
      await readBounded(answer.body, answerLimitBytes, signal);
      const retryAfter = first(answer.headers['retry-after']);
      return {
        end: 'answered',
        statusCode: answer.statusCode,
        ...(retryAfter !== undefined && { retryAfter }),
      };
    } catch (error) {
      if (signal.aborted) return { end: 'no-answer', result: 'timeout' };
      return { end: 'no-answer', result: classifyConnectionError(codeOf(error)) };
    }
  }

  return {
    async post(request) {
      const controller = new AbortController();
      let timer: NodeJS.Timeout | undefined;
      // The race is needed: undici notices an abort only once a connection is there.
      const timeout = new Promise<ExchangeEnd>((resolve) => {
        timer = setTimeout(() => {
          controller.abort();
          resolve({ end: 'no-answer', result: 'timeout' });
        }, timeoutMs);
      });
      try {
        return await Promise.race([exchange(request, controller.signal), timeout]);
      } finally {
        clearTimeout(timer);
      }
    },
    async close() {
      await agent.destroy();
    },
  };
}

type AnswerBody = AsyncIterable<Buffer> & {
  destroy(): unknown;
  on(e: 'error', f: () => void): unknown;
};

/** Reads so that the connection can be kept; past the limit it is closed instead. */
async function readBounded(body: AnswerBody, limitBytes: number, signal: AbortSignal) {
  let bytes = 0;
  body.on('error', () => undefined);
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > limitBytes) break;
    }
  } catch (error) {
    // The status has been said; that the rest broke off changes nothing, unless time ran out.
    if (signal.aborted) throw error;
  } finally {
    body.destroy();
  }
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** The most telling code: an AggregateError of several addresses carries them inside. */
function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, errors, cause } = error as { code?: unknown; errors?: unknown[]; cause?: unknown };
  if (typeof code === 'string' && code !== 'UND_ERR_SOCKET') return code;
  return codeOf(errors?.[0]) ?? codeOf(cause) ?? (typeof code === 'string' ? code : undefined);
}
