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
import { headersOf } from '@tributary/event-log/record-traces';
import type { Clock } from '@tributary/runtime/clock';
import type { IdSource } from '@tributary/runtime/ids';
import type { TraceSpan } from '@tributary/runtime/tracer';
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
  /** That of the request; most have none. */
  span?: TraceSpan | undefined;
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
    await append(submission, receipt);
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
    let appended = underWay.get(held.eventId);
    if (!appended) {
      const idempotency = { key: scope.idempotencyKey, fingerprint };
      appended = append(submission, held, idempotency);
      underWay.set(held.eventId, appended);
      const forget = () => underWay.delete(held.eventId);
      appended.then(() => store.complete(scope, held)).then(forget, forget);
    }
    await appended;
  }

  /** The event has the headers of its trace; a person's record is read by nobody who traces. */
  async function append(
    submission: Submission,
    receipt: Receipt,
    idempotency?: { key: string; fingerprint: string },
  ): Promise<void> {
    const entries = entriesOf(submission, receipt, idempotency);
    const span = submission.span?.child(`send ${topics.events}`, 'producer', {
      'tributary.event_id': receipt.eventId,
    });
    if (!span) return appender.append(entries);
    const headers = headersOf(span.context);
    const traced = entries.map((entry) =>
      entry.topic === topics.events ? { ...entry, headers } : entry,
    );
    await appender.append(traced).then(
      () => span.end(),
      (error: unknown) => {
        span.end({ isFailed: true });
        throw error;
      },
    );
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
