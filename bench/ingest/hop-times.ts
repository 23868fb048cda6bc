import { decisionCodec } from '@tributary/contracts/decision-record';
import { eventCodec } from '@tributary/contracts/event-record';
import { issuanceCodec } from '@tributary/contracts/issuance-record';
import type { Codec } from '@tributary/contracts/record';
import { rewardCodec } from '@tributary/contracts/reward-record';
import { type Topic, topicName } from '@tributary/contracts/topics';
import { scanTopic } from '@tributary/event-log/scan-topic';
import { connectTo, type KafkaAddress, silentLogger } from '@tributary/event-log/testing';
import { percentile } from '../report.ts';

/** In the order in which an event comes by. */
export const stations = ['on the log', 'decided', 'issued', 'delivered'] as const;
type Station = (typeof stations)[number];

export type Hop = { station: Station; hop: Percentiles; sinceAccepted: Percentiles };
type Percentiles = { p50Ms: number; p99Ms: number };

/** Milliseconds since the epoch. */
export type Passed = { accepted: number } & Record<Station, number>;

/**
 * When each event was where: the brokers' append times of its record, of the decision on it and of
 * what was issued for it (whole milliseconds), and the clock of this process for the 202 and the
 * webhook. All on one machine, so on one clock. A record is on the log before its 202 is sent, so
 * the first hop is less than zero.
 */
export async function readPassed(options: {
  kafka: KafkaAddress;
  /** By event id: when the 202 was there. */
  accepted: ReadonlyMap<string, number>;
  /** By the webhook's event id: when its body was there. */
  delivered: ReadonlyMap<string, number>;
}): Promise<Passed[]> {
  const { accepted, delivered } = options;
  const kafka = connectTo(options.kafka);
  const read = <T>(topic: Topic, codec: Codec<T>, take: (value: T, at: number) => void) =>
    scanTopic({
      ...{ kafka, logger: silentLogger, codec },
      topic: topicName(topic, { prefix: '', generation: 1 }),
      onRecord: ({ value, timestampMs }) => {
        if (value !== null) take(value, timestampMs);
      },
    });

  const onLog = new Map<string, number>();
  await read('events', eventCodec, ({ eventId }, at) => keepFirst(onLog, eventId, at));
  const decided = new Map<string, number>();
  await read('attributions', decisionCodec, ({ eventId }, at) => keepFirst(decided, eventId, at));
  const eventOf = new Map<string, string>();
  await read(
    'rewards',
    rewardCodec,
    ({ rewardId, eventId }) => void eventOf.set(rewardId, eventId),
  );
  const issued = new Map<string, { at: number; webhook: string }>();
  await read('issuances', issuanceCodec, (fact, at) => {
    const eventId = eventOf.get(fact.rewardId);
    if (fact.type !== 'issued' || eventId === undefined || issued.has(eventId)) return;
    issued.set(eventId, { at, webhook: fact.webhookEventId });
  });

  return [...accepted].map(([eventId, at]) => {
    const issuance = issued.get(eventId);
    const passed = {
      accepted: at,
      'on the log': onLog.get(eventId),
      decided: decided.get(eventId),
      issued: issuance?.at,
      delivered: issuance && delivered.get(issuance.webhook),
    };
    const missing = stations.filter((station) => passed[station] === undefined);
    if (missing.length > 0) throw new Error(`event ${eventId} was never ${missing.join(', ')}`);
    return passed as Passed;
  });
}

export function hopsOf(passed: readonly Passed[]): Hop[] {
  return stations.map((station, i) => {
    const before = stations[i - 1] ?? 'accepted';
    return {
      station,
      hop: percentilesOf(passed.map((times) => times[station] - times[before])),
      sinceAccepted: percentilesOf(passed.map((times) => times[station] - times.accepted)),
    };
  });
}

const percentilesOf = (values: readonly number[]): Percentiles => ({
  p50Ms: percentile(values, 50),
  p99Ms: percentile(values, 99),
});

function keepFirst(times: Map<string, number>, id: string, at: number): void {
  if (!times.has(id)) times.set(id, at);
}
