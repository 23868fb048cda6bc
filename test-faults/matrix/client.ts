import { setTimeout as delay } from 'node:timers/promises';
import type { Outcome, SentRequest } from './evidence.ts';
import type { Submission } from './history.ts';

/** Longer than the edge waits for a service. */
const patienceMs = 40_000;

export type Client = ReturnType<typeof createClient>;

/**
 * Sends what customers, their users, Stripe and operators say, and writes down every request with
 * its answer.
 */
export function createClient(options: {
  baseUrl: string;
  /** Access tokens of the customers, by tenant. */
  tokens: ReadonlyMap<string, string>;
  operatorToken: string;
}) {
  const { baseUrl, tokens, operatorToken } = options;
  const requests: SentRequest[] = [];
  let eventsUnderWay = 0;

  type Ask = Pick<SentRequest, 'by' | 'tenantId' | 'method' | 'path'> & {
    key?: string | undefined;
    body?: string | undefined;
    proof?: SentRequest['proof'];
    /** Instead of those of somebody with an access token. */
    headers?: Readonly<Record<string, string>>;
  };

  async function ask(question: Ask): Promise<SentRequest> {
    const { by, tenantId, method, path, key, body, proof } = question;
    const token = by === 'operator' ? operatorToken : (tokens.get(tenantId) ?? '');
    const request: SentRequest = {
      sentAt: new Date().toISOString(),
      endedAt: '',
      ...{ by, tenantId, method, path, outcome: 'unknown' },
      ...(key !== undefined && { key }),
      ...(body !== undefined && { body }),
      ...(proof !== undefined && { proof }),
    };
    // Written down before it is sent: whatever happens then, it is known that it was.
    requests.push(request);
    const events = by === 'customer' ? 1 : 0;
    eventsUnderWay += events;
    try {
      const answer = await fetch(`${baseUrl}${path}`, {
        method,
        headers: {
          ...(question.headers ?? { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(key !== undefined && { 'idempotency-key': key }),
        },
        ...(body !== undefined && { body }),
        signal: AbortSignal.timeout(patienceMs),
      });
      const text = await answer.text();
      Object.assign(request, { status: answer.status, answer: text });
      request.outcome = outcomeOf(answer.status);
    } catch (error) {
      request.failure = reasonOf(error);
    } finally {
      eventsUnderWay -= events;
      request.endedAt = new Date().toISOString();
    }
    return request;
  }

  /** Tries again while it has no answer that says what became of it, and `goesOn` says so. */
  async function untilKnown(
    once: () => Promise<SentRequest>,
    goesOn: () => boolean,
  ): Promise<void> {
    for (let waitMs = 200; goesOn(); waitMs = Math.min(2_000, waitMs * 2)) {
      if ((await once()).outcome !== 'unknown') return;
      await delay(waitMs);
    }
  }

  const submit = ({ tenantId, path, key, body }: Submission) =>
    ask({ by: 'customer', tenantId, method: 'POST', path, key, body });

  return {
    requests,
    /** Events of customers that have no answer yet. */
    eventsUnderWay: () => eventsUnderWay,
    /** Requests of a kind that have no answer yet. */
    countUnderWay: (isMeant: (request: SentRequest) => boolean) =>
      requests.filter((request) => request.endedAt === '' && isMeant(request)).length,
    ask,
    submit,
    untilKnown,
    submitUntilKnown: (submission: Submission, goesOn: () => boolean) =>
      untilKnown(() => submit(submission), goesOn),
  };
}

function outcomeOf(status: number): Outcome {
  if (status < 300) return 'ok';
  // 408: the server gave up waiting for it, or for itself.
  return status >= 500 || status === 408 ? 'unknown' : 'failed';
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? message;
}
