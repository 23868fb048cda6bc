import type pg from 'pg';

/**
 * An outbox from which nothing is removed until it is released, though all can be sent. What waited
 * to remove something ends with it, as with the death of the process that the server has not
 * noticed.
 */
export async function holdRemovals(db: pg.Pool): Promise<{ release(): Promise<void> }> {
  const holder = await db.connect();
  await holder.query(`
    select pg_advisory_lock(${lock});
    create function processor.wait_for_release() returns trigger language plpgsql as $$
      begin perform pg_advisory_lock_shared(${lock}); return old; end $$;
    create trigger wait_for_release before delete on processor.outbox
      for each row execute function processor.wait_for_release();`);
  return {
    async release() {
      try {
        await holder.query(`
          select pg_terminate_backend(pid) from pg_locks
          where locktype = 'advisory' and objid = ${lock} and not granted
            and database = (select oid from pg_database where datname = current_database())`);
        await holder.query('drop function processor.wait_for_release() cascade');
      } finally {
        // With its session its lock ends.
        holder.release(true);
      }
    },
  };
}

const lock = 815;
