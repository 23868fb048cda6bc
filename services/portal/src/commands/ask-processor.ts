import type { InternalAnswer, InternalClient } from '@tributary/http/internal-client';
import { setTimeout as delay } from 'node:timers/promises';

/** What processor-events does at Stripe for the portal; see its internal routes. */
export type EndpointAtStripe = { id: string; secret: string | null };
export type Finding = { check: string; ok: boolean; detail: string };
export type Check = { ok: boolean; findings: Finding[] };

/** Words of processor-events on why not; nothing was changed here. */
export type NotDone = Exclude<InternalAnswer, { outcome: 'answered' }>;
type Told<T> = { outcome: 'told'; body: T } | NotDone;
type Connection = { tenantId: string; connectionId: string };

export type ProcessorQuestions = ReturnType<typeof processorQuestions>;

export function processorQuestions(
  client: InternalClient,
  about: { requestId: string | undefined },
) {
  async function ask<T>(
    { tenantId, connectionId }: Connection,
    verb: string,
    body: object,
  ): Promise<Told<T>> {
    const path = ['tenants', tenantId, 'connections', connectionId, verb];
    const answer = await client.post(path, body, about);
    if (answer.outcome === 'answered') return { outcome: 'told', body: answer.body as T };
    if (answer.outcome === 'refused' && answer.problem.code === 'NOT_FOUND') return notRead;
    return answer;
  }

  return {
    /**
     * Makes the endpoint, or finds the one that was made; the same question has the same answer.
     */
    open: (
      connection: Connection,
      body: { apiKey: string; apiVersion: string; url: string; endpointId?: string },
    ) => ask<{ livemode: boolean; endpoint: EndpointAtStripe }>(connection, 'open', body),
    /** A second endpoint beside the present one; the same as long as that is the present one. */
    renew: (connection: Connection, presentEndpointId: string) =>
      ask<{ endpoint: EndpointAtStripe }>(connection, 'renew', { endpointId: presentEndpointId }),
    /** For a connection that is not in the catalog yet, its key is given. */
    close: (connection: Connection, opening?: { apiKey: string; apiVersion: string }) =>
      ask<{ removed: string[] }>(connection, 'close', opening ?? {}),
    check: (connection: Connection) => ask<Check>(connection, 'check', {}),
  };
}

/** The catalog's records come to it a moment after they are written here. */
const notRead: NotDone = {
  outcome: 'unavailable',
  detail: 'processor-events has not read of this connection yet; try again.',
};

const unreadMs = 250;
const notYetMs = 1_000;

/**
 * How a connection fares after a change of it, which processor-events reads of a moment later:
 * asked until it knows the connection and finds what was put right in order, or `forMs` are over.
 * Undefined when nothing was told in time; a check can be asked for at any time.
 */
export async function checkSoon(
  questions: ProcessorQuestions,
  connection: Connection,
  { forMs, repaired = [] }: { forMs: number; repaired?: readonly string[] },
): Promise<Check | undefined> {
  const end = new AbortController();
  const over = delay(forMs, undefined, { signal: end.signal }).catch(() => undefined);
  const endsAt = performance.now() + forMs;
  let last: Check | undefined;
  try {
    while (performance.now() < endsAt) {
      const answer = await Promise.race([questions.check(connection), over]);
      if (answer === undefined) break;
      if (answer.outcome === 'told') {
        last = answer.body;
        if (!last.findings.some(({ check, ok }) => !ok && repaired.includes(check))) break;
      }
      await delay(answer.outcome === 'told' ? notYetMs : unreadMs);
    }
    return last;
  } finally {
    end.abort();
  }
}
