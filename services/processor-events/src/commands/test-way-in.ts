import type { ProcessorConnectionRecord } from '@tributary/contracts/catalog-record';
import type { Clock } from '@tributary/runtime/clock';
import type { KeyRing } from '@tributary/runtime/secrets';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { signStripePayload } from '../stripe/signature.ts';
import { connectionTestKind } from '../domain/kinds.ts';
import { createSigningSecrets } from '../stripe/account-of.ts';

/** Whether an event reaches the log by the way Stripe's do. */
export type TestWayIn = (
  record: ProcessorConnectionRecord,
  url: string,
) => Promise<{ ok: boolean; detail: string }>;

/**
 * Sends an event of our own kind to the public address of the connection, signed with its secret.
 * It is answered once the log has it, so the answer tells of the edge, the signature and the log.
 * Which process answers nobody knows: one that has not read of a new connection yet says 404, and
 * is asked again.
 */
export function createTestWayIn(deps: {
  secrets: KeyRing;
  clock: Clock;
  timeoutMs?: number;
  /** How long a 404 may mean that a process is behind. */
  patienceMs?: number;
}): TestWayIn {
  const { secrets, clock, timeoutMs = 8_000, patienceMs = 3_000 } = deps;
  const signingSecretsOf = createSigningSecrets(secrets);

  return async (record, url) => {
    const now = clock.now();
    const [secret] = signingSecretsOf(record, now);
    if (secret === undefined) return { ok: false, detail: 'The connection has no endpoint.' };
    const id = `evt_tributary_${randomUUID().replaceAll('-', '')}`;
    const body = JSON.stringify(testEvent(record, id, now));
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'stripe-signature': signStripePayload(body, secret, now),
    };
    const post = async () => {
      const signal = AbortSignal.timeout(timeoutMs);
      const init: RequestInit = { method: 'POST', body, headers, redirect: 'manual', signal };
      const response = await fetch(url, init);
      return { status: response.status, text: await response.text() };
    };
    try {
      const patientUntil = performance.now() + patienceMs;
      let answer = await post();
      while (answer.status === 404 && performance.now() < patientUntil) {
        await delay(250);
        answer = await post();
      }
      if (answer.status === 200 && isReceived(answer.text, id)) {
        return { ok: true, detail: `A test event came through ${url}.` };
      }
      return { ok: false, detail: `${url} answered a test event with status ${answer.status}.` };
    } catch (error) {
      return { ok: false, detail: `${url} cannot be reached (${reasonOf(error)}).` };
    }
  };
}

function testEvent(record: ProcessorConnectionRecord, id: string, now: Date) {
  return {
    id,
    object: 'event',
    api_version: record.apiVersion,
    created: Math.floor(now.getTime() / 1_000),
    livemode: record.livemode,
    type: connectionTestKind,
    data: { object: { id: record.connectionId, object: 'connection' } },
  };
}

function isReceived(text: string, id: string): boolean {
  try {
    const { received, id: answeredId } = JSON.parse(text) as { received?: unknown; id?: unknown };
    return received === true && answeredId === id;
  } catch {
    return false;
  }
}

function reasonOf(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: unknown } };
  if (name === 'TimeoutError') return 'no answer in time';
  return typeof cause?.code === 'string' ? cause.code : 'no connection';
}
