import { type DecisionRecord, decisionCodec } from '@tributary/contracts/decision-record';
import type { KafkaAddress } from '@tributary/event-log/testing';
import { readLog } from './read-log.ts';

/** Every decision record per eventId in the order of the log, copies included. */
export type DecisionLog = ReadonlyMap<string, readonly DecisionRecord[]>;

export async function readDecisions(where: KafkaAddress): Promise<DecisionLog> {
  const decisions = new Map<string, DecisionRecord[]>();
  for (const { value } of await readLog(where, 'attributions', decisionCodec)) {
    const known = decisions.get(value.eventId);
    if (known) known.push(value);
    else decisions.set(value.eventId, [value]);
  }
  return decisions;
}

export function currentDecision(log: DecisionLog, eventId: string): DecisionRecord | undefined {
  const records = log.get(eventId) ?? [];
  return records.toSorted((a, b) => a.version - b.version).at(-1);
}

/**
 * What contradicts "decided once" (design 4): an event has one decision, whose versions have no
 * gap, and a version has one content. The log may hold copies of a record, because a process that
 * died between the ack and its commit leaves it to another one to send it again; that may come
 * behind a later version, which another process has sent meanwhile (decision 34).
 */
export function decidedTwice(log: DecisionLog): string[] {
  return [...log].flatMap(([eventId, records]) => {
    const ids = new Set(records.map((r) => r.decisionId));
    if (ids.size !== 1) return [`${eventId}: ${ids.size} decision ids`];
    return wrongVersions(records).map((wrong) => `${eventId}: ${wrong}`);
  });
}

function wrongVersions(records: readonly DecisionRecord[]): string[] {
  const contents = new Map<number, Set<string>>();
  for (const record of records) {
    const known = contents.get(record.version);
    contents.set(record.version, (known ?? new Set()).add(JSON.stringify(record)));
  }
  const wrong = [...contents]
    .filter(([, distinct]) => distinct.size > 1)
    .map(([version, distinct]) => `${distinct.size} contents of version ${version}`);
  const versions = [...contents.keys()].sort((a, b) => a - b);
  const expected = versions.map((_, i) => i + 1);
  if (String(versions) !== String(expected)) wrong.push(`versions ${String(versions)} in the log`);
  return wrong;
}
