import { topicOfName, topics as topicTable } from '@tributary/contracts/topics';
import { isOfGenerations } from '../../generations.ts';
import type { Evidence, TableRow } from '../evidence.ts';
import { generationsOf } from './live.ts';
import { unsaidLosses } from './lost.ts';
import { objectsOf } from './money.ts';
import { countBy, createVerdict, type Verdict } from './verdict.ts';

type PutAside = { type: string; origin: { topic: string; partition: number; offset: string } };

/**
 * Nothing is left to do: every projection is at the ends of its topics, no outbox holds a record,
 * every issuance is delivered. And what was put aside is what was poisoned, and nothing else.
 */
export function nothingIsLeft(evidence: Evidence): Verdict {
  const { verdict, judge, breaks } = createVerdict();
  for (const problem of [...unexpectedGenerations(evidence), ...unsaidLosses(evidence)]) {
    breaks(problem);
  }
  const isLost = isOfGenerations(generationsOf(evidence).lost);
  for (const what of evidence.row.amiss ?? []) breaks(what);
  if (evidence.row.unrecovered !== undefined) breaks(`never done: ${evidence.row.unrecovered}`);
  for (const [table, rows] of Object.entries(evidence.tables)) {
    if (isLost(table.split('.')[0]!)) continue;
    if (table.endsWith('.projection_position')) {
      for (const row of rows) {
        const where = `${row['topic']}/${row['partition']}`;
        const end = evidence.ends[where];
        const next = Number(row['next_offset']);
        const what = `${table} is at ${next} of ${where}, which ends at ${end}`;
        judge(end === undefined || next < end ? what : undefined);
      }
      for (const where of notBegun(rows, evidence.ends)) breaks(`${table} has not begun ${where}`);
    }
    if (/\.(issuance_)?outbox$/.test(table) && rows.length > 0) {
      breaks(`${table} still has ${rows.length} rows`);
    }
  }
  for (const row of evidence.tables['dispatch.delivery'] ?? []) {
    const { state, webhook_event_id: id } = row;
    judge(state === 'delivered' ? undefined : `webhook ${id} is ${state}`);
  }
  for (const problem of strayLetters(evidence)) breaks(problem);
  return verdict;
}

/**
 * Only a database that falls back costs a generation, and only an operator changes the live one.
 */
function unexpectedGenerations(evidence: Evidence): string[] {
  const { fellBackAt, swappedTo = 1 } = evidence.row;
  const { live, lost } = generationsOf(evidence);
  const most = fellBackAt === undefined ? 0 : 1;
  return [
    ...(lost.length > most ? [`generations ${lost.join(', ')} were lost`] : []),
    ...(lost.length === 0 && live !== swappedTo ? [`generation ${live} is live`] : []),
  ];
}

/** Partitions with records, of topics that are read here, of which no position is stored. */
function notBegun(positions: readonly TableRow[], ends: Evidence['ends']): string[] {
  const read = new Set(positions.map(({ topic }) => topic));
  const begun = new Set(positions.map(({ topic, partition }) => `${topic}/${partition}`));
  return Object.entries(ends)
    .filter(([where, end]) => end > 0 && read.has(where.split('/')[0] ?? '') && !begun.has(where))
    .map(([where]) => where);
}

function strayLetters({ topics, poison }: Evidence): string[] {
  const placeOf = (topic: string, partition: number, offset: string | number) =>
    `${topic}/${partition}/${offset}`;
  const letters = objectsOf<PutAside>(topics[topicTable.deadLetters.name])
    .filter(({ type }) => type === 'put-aside')
    .map(({ origin: { topic, partition, offset } }) => placeOf(topic, partition, offset));
  const isPoison = new Set(poison.map(({ topic, value }) => JSON.stringify([topic, value])));
  const poisoned = Object.entries(topics).flatMap(([topic, records]) =>
    records
      .filter(({ value }) => isPoison.has(JSON.stringify([topic, value])))
      .map(({ partition, offset }) => placeOf(topic, partition, offset)),
  );
  const [aside, expected] = [new Set(letters), new Set(poisoned)];
  return [
    ...(expected.size < isPoison.size ? ['poison is missing on the log'] : []),
    ...poisoned.filter((place) => !aside.has(place)).map((place) => `${place} was not put aside`),
    ...letters.filter((place) => !expected.has(place)).map((place) => `${place} was put aside`),
  ];
}

type Versioned = { version: number; decisionId?: string; rewardId?: string };

/**
 * Stored positions never went back, nor did the epochs of those who store them; but for the moment
 * in which a database took over that was older than the one before. And in no generation two
 * processes acted as the owner of one thing: of each decision and reward the versions on the log
 * have no gap, and each has one content, however many copies.
 */
export function nothingGoesBack({ row, positions, topics }: Evidence): Verdict {
  const { verdict, judge } = createVerdict();
  const highest = new Map<string, { epoch: number; next: number }>();
  for (const { at, schema, topic, partition, epoch, next } of positions) {
    const isOfOlder = row.fellBackAt !== undefined && at >= row.fellBackAt;
    const name = `${schema} at ${topic}/${partition}${isOfOlder ? ', fallen back' : ''}`;
    const before = highest.get(name);
    const went = before !== undefined && (next < before.next || epoch < before.epoch);
    const said = `${name} went from ${before?.next} (epoch ${before?.epoch})`;
    judge(went ? `${said} back to ${next} (epoch ${epoch}) at ${at}` : undefined);
    highest.set(name, { epoch, next });
  }
  for (const [topic, all] of Object.entries(topics)) {
    const nameOf = namesOfVersioned[topicOfName(topic, '') ?? ''];
    if (nameOf === undefined) continue;
    const records = objectsOf<Versioned>(all).filter(
      ({ version, decisionId, rewardId }) =>
        Number.isInteger(version) && (decisionId ?? rewardId) !== undefined,
    );
    for (const [name, versions] of Map.groupBy(records, nameOf)) {
      judge(wrongIn(`${name} of ${topic}`, versions));
    }
  }
  return verdict;
}

const namesOfVersioned: Record<string, (of: Versioned) => string> = {
  attributions: ({ decisionId }) => `decision ${decisionId}`,
  rewards: ({ rewardId }) => `reward ${rewardId}`,
};

function wrongIn(name: string, records: readonly Versioned[]): string | undefined {
  const distinct = new Set(records.map((record) => JSON.stringify(record)));
  const counts = countBy(distinct, (text) => String((JSON.parse(text) as Versioned).version));
  const twice = [...counts].find(([, count]) => count > 1);
  if (twice !== undefined) return `${name} has ${twice[1]} contents of version ${twice[0]}`;
  const versions = [...counts.keys()].map(Number).sort((a, b) => a - b);
  const isWhole = versions.every((version, i) => version === i + 1);
  return isWhole ? undefined : `${name} has the versions ${versions.join(', ')}`;
}
