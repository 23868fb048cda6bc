import { type Accepted, acceptedResponse } from '@tributary/contracts/public/accepted';
import { canonicalJson } from '@tributary/contracts/canonical-json';
import { eventCodec } from '@tributary/contracts/event-record';
import { personCodec } from '@tributary/contracts/people-record';
import { parseTimestamp } from '@tributary/contracts/rfc3339';
import { recordKey } from '@tributary/contracts/topics';
import type { V2Bodies, V2EventType } from '@tributary/contracts/public/v2-events';
import { toEventRecord, toPersonRecord } from '@tributary/contracts/v2-records';
import { warningsOf } from '@tributary/contracts/warning';
import type { Appender, Entry } from '@tributary/event-log/appender';
import { AppendRefused } from '@tributary/event-log/appender';
import type { Clock } from '@tributary/runtime/clock';
import type { IdSource } from '@tributary/runtime/ids';
import type { Acceptance } from '../domain/acceptance.ts';
import type { IdempotencyStore } from '../redis/idempotency-store.ts';
import type { ReservationScope } from '../redis/keys.ts';
import { type Reservation, reserveLimitMs, shortFingerprint } from '../redis/reservation.ts';

/**
 * Steps 4 to 7 of the accept path (design 5), from a valid body to its answer:
 *
 *   no key   append ─ack─▶ accepted
 *   a key    reserve ─▶ ours              append ─ack─▶ accepted, key done
 *                    ─▶ same, done        accepted, as the first time
 *                    ─▶ same, pending     append the same record ─ack─▶ accepted, key done
 *                    ─▶ another body      key conflict
 *
 * The answer says "accepted" only after the ack. When the append fails the key stays pending with
 * its event id, so however often the caller tries again there is at most one event id.
 */
export type Submission = {
  tenantId: string;
  /** Whose token it came with. A repetition with another one is the same event. */
  accessKeyId: string;
  eventType: V2EventType;
  body: V2Bodies[V2EventType];
  idempotencyKey: string | undefined;
};

export function createAcceptEvent(options: {
  appender: Appender;
  store: IdempotencyStore;
  topics: { events: string; people: string };
  fingerprintOf: (canonicalBody: string) => string;
  backdatingWindowDays: number;
  ids: IdSource;
  clock: Clock;
}): (submission: Submission) => Promise<Acceptance> {
  const { appender, store, topics, fingerprintOf, backdatingWindowDays, ids, clock } = options;
  /** Appends of pending keys by this process, until the key is done: copies wait for one append. */
  const underWay = new Map<string, Promise<void>>();

  return async (submission) => {
    const receipt = receive(submission.body);
    try {
      return submission.idempotencyKey === undefined
        ? await acceptUnkeyed(submission, receipt)
        : await acceptKeyed(submission, submission.idempotencyKey, receipt);
    } catch (error) {
      if (!(error instanceof AppendRefused)) throw error;
      return { outcome: 'unavailable', because: 'log', detail: error.message };
    }
  };

  function receive(body: V2Bodies[V2EventType]): Receipt {
    const now = clock.now();
    const warnings = warningsOf({
      occurredAtMs: instantOf(body).epochMs,
      receivedAtMs: now.getTime(),
      backdatingWindowDays,
      body,
    });
    return { eventId: ids.uuidv7(now.getTime()), receivedAt: now.toISOString(), warnings };
  }

  async function acceptUnkeyed(submission: Submission, receipt: Receipt): Promise<Acceptance> {
    await appender.append(entriesOf(submission, receipt));
    return { outcome: 'accepted', accepted: toAccepted(receipt), idempotency: 'none' };
  }

  async function acceptKeyed(
    submission: Submission,
    idempotencyKey: string,
    receipt: Receipt,
  ): Promise<Acceptance> {
    const { tenantId, eventType, body } = submission;
    const scope = { tenantId, eventType, idempotencyKey };
    const fingerprint = fingerprintOf(canonicalJson(body, 'idempotencyKey'));
    const ours: Reservation = {
      ...receipt,
      fingerprint: shortFingerprint(fingerprint),
      state: 'pending',
    };

    const startedMs = performance.now();
    const reserved = await store.reserve(scope, ours);
    if (reserved.outcome === 'unavailable') {
      return { outcome: 'unavailable', because: 'idempotency', detail: reserved.detail };
    }
    if (performance.now() - startedMs > reserveLimitMs) {
      return {
        outcome: 'unavailable',
        because: 'idempotency',
        detail: 'the reserve took too long',
      };
    }

    const held = reserved.outcome === 'reserved' ? ours : reserved.by;
    if (held.fingerprint !== ours.fingerprint) return { outcome: 'key-conflict' };
    const accepted = toAccepted(held);
    if (held.state === 'done') return { outcome: 'accepted', accepted, idempotency: 'repeated' };
    await appendOnce(submission, scope, held, fingerprint);
    const idempotency = held === ours ? 'first' : 'joined';
    return { outcome: 'accepted', accepted, idempotency };
  }

  async function appendOnce(
    submission: Submission,
    scope: ReservationScope,
    held: Reservation,
    fingerprint: string,
  ): Promise<void> {
    let append = underWay.get(held.eventId);
    if (!append) {
      const idempotency = { key: scope.idempotencyKey, fingerprint };
      append = appender.append(entriesOf(submission, held, idempotency));
      underWay.set(held.eventId, append);
      const forget = () => underWay.delete(held.eventId);
      append.then(() => store.complete(scope, held)).then(forget, forget);
    }
    await append;
  }

  function entriesOf(
    { tenantId, accessKeyId, eventType, body }: Submission,
    { eventId, receivedAt, warnings }: Receipt,
    idempotency?: { key: string; fingerprint: string },
  ): Entry[] {
    const receipt = {
      tenantId,
      accessKeyId,
      eventId,
      receivedAt,
      warnings,
      occurredAtSeconds: instantOf(body).seconds,
      ...(idempotency === undefined ? {} : { idempotency }),
    };
    const key = recordKey(tenantId, body.newUser.id);
    const event = eventCodec.encode(toEventRecord(eventType, body, receipt));
    const person = toPersonRecord(body, receipt);
    return person === undefined
      ? [{ topic: topics.events, key, value: event }]
      : [
          { topic: topics.people, key, value: personCodec.encode(person) },
          { topic: topics.events, key, value: event },
        ];
  }
}

type Receipt = Pick<Reservation, 'eventId' | 'receivedAt' | 'warnings'>;

function toAccepted({ eventId, receivedAt, warnings }: Receipt): Accepted {
  return acceptedResponse(eventId, receivedAt, warnings);
}

function instantOf(body: V2Bodies[V2EventType]) {
  const instant = parseTimestamp(body.occurredAt);
  if (!instant) throw new Error('a body passed validation with an invalid occurredAt');
  return instant;
}
