import { Agent } from 'undici';
import { describeConnectionError } from '../domain/connection-error.ts';
import type { ExchangeEnd } from '../domain/outcome.ts';
import { createAddressRules, type Network } from '@tributary/guarded-connections/address-rules';
import { first, keepAnswer, keptBodyBytes } from './answer-keeper.ts';
import { type AnswerRead, readAnswer } from './answer-reader.ts';
import { createDeadlines } from './deadlines.ts';
import {
  ConnectionBlocked,
  createGuardedConnector,
} from '@tributary/guarded-connections/guarded-connector';
import { createResolver, NameNotResolved } from '@tributary/guarded-connections/resolver';
import type { Scrub } from './scrub.ts';

/**
 * One POST to a customer's endpoint, within bounds that the endpoint cannot widen: the whole
 * exchange (look-up, connection, answer with its body) has one timeout; the answer is read up to
 * `answerLimitBytes` and then cut; its headers are limited by the client; nothing is unpacked; no
 * redirect is followed, and no address is connected to that the rules refuse.
 *
 * An answer counts once its status is there and its body has ended, was cut or broke off. A body
 * that drips past the timeout is a timeout: the receiver has to answer quickly (6.1 rule 5).
 */
export type Exchange = {
  /** @throws when the fault is our own, for instance once closed; all else is in the answer. */
  post(request: ExchangeRequest): Promise<ExchangeEnd>;
  /** Closes kept connections; to be called when nothing is under way. */
  close(): Promise<void>;
};

export type ExchangeRequest = {
  origin: string;
  path: string;
  /** Names and values in turn, without Authorization. */
  headers: readonly string[];
  /** Sent in turn for as long as the answer is 401, within one timeout. */
  authorizations: readonly string[];
  body: Buffer;
  scrub: Scrub;
};

export type ExchangeSettings = {
  /** For the whole exchange, from look-up to the end of the answer. */
  timeoutMs: number;
  /** As much of an answer's body is read; then the connection is closed. */
  answerLimitBytes: number;
  allowedNetworks: readonly Network[];
  /** Name servers to ask instead of the machine's: `10.0.0.2`, `127.0.0.1:5353`. */
  dnsServers: readonly string[];
  /** A certificate authority (PEM) trusted beside the usual ones. For tests only. */
  extraCa?: string;
};

export function createExchange(settings: ExchangeSettings): Exchange {
  const { timeoutMs, answerLimitBytes, allowedNetworks, dnsServers, extraCa } = settings;
  const resolver = createResolver({
    servers: dnsServers,
    // A silent name server is distinguished from a silent endpoint.
    timeoutMs: Math.ceil(timeoutMs / 2),
  });
  const agent = new Agent({
    allowH2: false,
    pipelining: 1,
    // How many go to one endpoint at once is limited by the claim. A queue here would eat into
    // the timeout of deliveries that only share a host.
    connections: null,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 60_000,
    connect: createGuardedConnector({
      resolve: resolver.resolve,
      refusalOf: createAddressRules(allowedNetworks),
      timeoutMs,
      ...(extraCa !== undefined && { extraCa }),
    }),
    maxHeaderSize: 16 * 1024,
    // One timeout for all of it, here.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const deadlines = createDeadlines(timeoutMs);

  function post(request: ExchangeRequest): Promise<ExchangeEnd> {
    const { origin, path, headers, authorizations, body, scrub } = request;
    const keepBytes = keptBodyBytes + scrub.longestBytes;
    return new Promise((resolve, reject) => {
      let reader: ReturnType<typeof readAnswer>;
      const timed = {
        expire() {
          reader.abort();
          resolve({ end: 'no-answer', result: 'timeout', detail: late(reader, timeoutMs) });
        },
      };

      function ask(turn: number): void {
        reader = readAnswer({ readBytes: answerLimitBytes, keepBytes }, (read) => {
          const isLast = turn + 1 >= authorizations.length;
          if (!(read instanceof Error) && read.statusCode === 401 && !isLast) {
            return ask(turn + 1);
          }
          deadlines.remove(timed);
          // The client swallows what is thrown here, and nobody would ever be told.
          try {
            resolve(endOf(read, scrub));
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        });
        const withCredentials = ['authorization', authorizations[turn]!, ...headers];
        agent.dispatch(
          { origin, path, method: 'POST', headers: withCredentials, body },
          reader.handler,
        );
      }

      deadlines.add(timed);
      ask(0);
    });
  }

  return {
    post,
    async close() {
      await agent.destroy();
      resolver.stop();
    },
  };
}

/** @throws what is not the endpoint's fault */
function endOf(read: AnswerRead | Error, scrub: Scrub): ExchangeEnd {
  if (!(read instanceof Error)) return answered(read, scrub);
  if (ownFaults.has(codeOf(read) ?? '')) throw read;
  return notAnswered(read);
}

/** Not the endpoint's: a request that could not be written, or a closed client. */
const ownFaults = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_DESTROYED', 'UND_ERR_CLOSED']);

function answered(read: AnswerRead, scrub: Scrub): ExchangeEnd {
  const { statusCode, headers } = read;
  const retryAfter = first(headers['retry-after'])?.slice(0, 128);
  return {
    end: 'answered',
    statusCode,
    ...(retryAfter !== undefined && { retryAfter }),
    answer: keepAnswer({ ...read, scrub }),
  };
}

function late({ stage }: { stage(): string }, timeoutMs: number): string {
  return `${stage()} within ${timeoutMs / 1_000} s`;
}

function notAnswered(error: Error): ExchangeEnd {
  if (error instanceof ConnectionBlocked) {
    return { end: 'no-answer', result: 'blocked', detail: error.message };
  }
  if (error instanceof NameNotResolved) {
    return { end: 'no-answer', result: 'dns_error', detail: error.message };
  }
  return { end: 'no-answer', ...describeConnectionError(mostTelling(error)) };
}

/** An error of several addresses carries theirs inside; what a library wraps is its cause. */
function mostTelling(error: Error): { code?: string; message: string; address?: string } {
  const inner = error instanceof AggregateError ? (error.errors[0] as unknown) : error.cause;
  const code = codeOf(error);
  const isTelling = code !== undefined && code !== 'UND_ERR_SOCKET';
  if (inner instanceof Error && (!isTelling || error instanceof AggregateError)) {
    return mostTelling(inner);
  }
  return { ...error, message: error.message, ...(code !== undefined && { code }) };
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
