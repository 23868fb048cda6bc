import { brokerName, type Cut, type SpooledTopic } from '../cut.ts';
import type { Store } from './store.ts';

/**
 * A record as it was read from the log, behind where it was: partition (16 bits) and offset (48).
 * The spool may reach further than a cut, so each fold passes over what is behind its own.
 */
export type Place = { partition: number; offset: number };

const head = 8;

export function appendSpooled(
  log: Store,
  list: { name: string; key: string },
  { partition, offset }: Place,
  json: Buffer,
): void {
  const value = Buffer.allocUnsafe(head + json.length);
  value.writeUInt16LE(partition, 0);
  value.writeUIntLE(offset, 2, 6);
  json.copy(value, head);
  log.append(list.name, list.key, value);
}

export type Spooled = { key: string; at: number; value: Buffer };

/** What of a list is before the positions of the cut. */
export function readSpooled(
  log: Store,
  topic: SpooledTopic,
  { name, cut }: { name: string; cut: Cut },
): Spooled[] {
  const ends = endsOf(topic, cut);
  return log
    .read(name)
    .filter(({ value }) => value.readUIntLE(2, 6) < (ends.get(value.readUInt16LE(0)) ?? 0));
}

/** The record itself; it was checked when it was spooled. */
export function recordOf<T>({ value }: Pick<Spooled, 'value'>): T {
  return JSON.parse(value.toString('utf8', head)) as T;
}

function endsOf(topic: SpooledTopic, { prefix, positions }: Cut): Map<number, number> {
  const start = `${brokerName(topic, prefix)}/`;
  return new Map(
    Object.entries(positions).flatMap(([name, next]) =>
      name.startsWith(start) ? [[Number(name.slice(start.length)), Number(next)] as const] : [],
    ),
  );
}
