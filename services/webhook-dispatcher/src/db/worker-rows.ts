import type { Tx } from '@tributary/runtime/postgres';
import type { Queryable } from './queryable.ts';

/**
 * A worker counts only in the history of the server that it was registered in. Another server that
 * takes over may lag, and still have the lease, and so may a backup that is put in the place of the
 * table, the database or the server's files: who claimed under it would send what is on the log as
 * delivered. Who finds the lease gone takes a new one, and reads the log first.
 */
const thisHistory = `concat_ws('/', left(pg_walfile_name(pg_current_wal_lsn()), 8),
  extract(epoch from pg_postmaster_start_time()), 'worker'::regclass::oid)`;
export const isOfThisHistory = `timeline = ${thisHistory}`;

/** A process that sends says that it lives until `leaseMs` from now; gives the database's now. */
export async function registerWorker(
  db: Queryable,
  worker: { workerId: string; name: string; leaseMs: number },
): Promise<Date> {
  const { rows } = await db.query<{ now: Date }>(
    `insert into worker (worker_id, name, alive_until, timeline)
     values ($1, $2, now() + $3::int * interval '1 millisecond', ${thisHistory})
     returning now() as now`,
    [worker.workerId, worker.name, worker.leaseMs],
  );
  return rows[0]!.now;
}

/** Lengthens a lease that has not ended; undefined when it has: a dead worker is never revived. */
export async function beatWorker(
  db: Queryable,
  { workerId, leaseMs }: { workerId: string; leaseMs: number },
): Promise<Date | undefined> {
  const { rows } = await db.query<{ now: Date }>({
    name: 'beat_worker',
    text: `update worker set alive_until = now() + $2::int * interval '1 millisecond'
           where worker_id = $1 and alive_until > now() and ${isOfThisHistory}
           returning now() as now`,
    values: [workerId, leaseMs],
  });
  return rows[0]?.now;
}

/**
 * A worker that nobody is, to hold claims that take no room of their endpoints. Its lease has no
 * end: a process of an earlier release that runs beside this one removes whoever's lease is over,
 * and looks for claims only where an endpoint has something in flight.
 */
export async function insertRoomlessWorker(tx: Tx): Promise<string> {
  const { rows } = await tx.query<{ worker_id: string }>(
    `insert into worker (worker_id, name, alive_until, takes_room)
     values (gen_random_uuid(), 'claims of dead workers', 'infinity', false)
     returning worker_id`,
  );
  return rows[0]!.worker_id;
}

/**
 * Puts workers back whose claims are there and whose rows are not, so that these claims are freed
 * as those of any dead worker. An earlier release leaves such claims behind. The lease is as long
 * as that of somebody who is still sending can be; nobody claims or lives on under it, as the row
 * is of no history.
 */
export async function insertMissingWorkers(db: Queryable, leaseMs: number): Promise<void> {
  await db.query(
    `insert into worker (worker_id, name, alive_until, timeline)
     select distinct d.claimed_by, 'claims without a worker',
       now() + $1::int * interval '1 millisecond', 'none'
     from delivery d
     where d.state = 'pending' and d.body is not null and d.claimed_by is not null
       and not exists (select from worker w where w.worker_id = d.claimed_by)
     on conflict do nothing`,
    [leaseMs],
  );
}

/** For a worker that holds no claim any more. */
export async function removeWorker(db: Queryable, workerId: string): Promise<void> {
  await db.query('delete from worker where worker_id = $1', [workerId]);
}

/** What they hold is to be freed: their lease is over, or they never were anybody. */
export const isDead = '(alive_until <= now() or not takes_room)';

export async function findDeadWorkers(
  db: Queryable,
): Promise<{ workerId: string; takesRoom: boolean }[]> {
  const { rows } = await db.query<{ worker_id: string; takes_room: boolean }>({
    name: 'find_dead_workers',
    text: `select worker_id, takes_room from worker where ${isDead} order by worker_id`,
  });
  return rows.map((row) => ({ workerId: row.worker_id, takesRoom: row.takes_room }));
}
