import { setTimeout as delay } from 'node:timers/promises';
import type { Queryable } from '../inspect.ts';
import { schemasWith } from '../inspect.ts';
import type { PositionSample } from './evidence.ts';

const everyMs = 500;

/** Looks at the stored positions of every projection again and again, and keeps what changed. */
export function watchPositions(db: Queryable) {
  const samples: PositionSample[] = [];
  const last = new Map<string, string>();
  let over = false;
  const watching = watch();

  async function watch(): Promise<void> {
    while (!over) {
      // While Postgres is away there is nothing to be seen.
      await look(db).catch(() => undefined);
      await delay(everyMs);
    }
  }

  async function look(db: Queryable): Promise<void> {
    for (const schema of await schemasWith(db, 'projection_position')) {
      const { rows } = await db.query<Omit<PositionSample, 'at' | 'schema'>>(
        `select topic, partition::int as partition, epoch::int as epoch, next_offset::int as next
         from ${schema}.projection_position`,
      );
      const at = new Date().toISOString();
      for (const row of rows) {
        const [name, content] = [`${schema} ${row.topic} ${row.partition}`, JSON.stringify(row)];
        if (last.get(name) === content) continue;
        last.set(name, content);
        samples.push({ at, schema, ...row });
      }
    }
  }

  return {
    samples,
    /** Takes down all of that database, which will take over from the one that is watched. */
    async beginAnew(other: Queryable) {
      last.clear();
      await look(other);
    },
    async stop() {
      over = true;
      await watching;
    },
  };
}
