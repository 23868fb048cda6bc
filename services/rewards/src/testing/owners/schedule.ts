import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { patiently } from '@tributary/testkit/patience';
import type pg from 'pg';
import type { Random } from './random.ts';

/**
 * Decides whose statement goes next, one at a time, so that a seed is an interleaving.
 *
 *   asked ──▶ parked ──chosen──▶ sent ──answered──▶ (computing) ──▶ parked, or the session is over
 *                                 └─ waits for a lock: others go on meanwhile
 *
 * Of those that a session asks in one turn the first is chosen first; others may go on between
 * them. Nothing is chosen before each session is parked, or is seen waiting for somebody's lock.
 * Some are held back between two of their statements until another session has committed, or is
 * seen waiting for them, or nobody else can go on: so a commit comes as late, and a reader as
 * early, as the locks let them. Of two whom one commit lets go, Postgres says who is first, not the
 * seed.
 */
export type Schedule = {
  /** From now on the statements of this pool's transactions wait until they are chosen. */
  attach(member: string, pool: pg.Pool): Promise<void>;
  /** Until all work is done and `start` has begun none. */
  run(start: Start): Promise<void>;
  /** Nothing waits to be chosen any more; resolves when all work is done. */
  end(): Promise<void>;
  /** What went on, in order. */
  trace: string[];
  counts: { lockWaits: number; holds: number; deadlocks: number };
};

/** Begins a piece of work and gives its end; undefined where none can be begun now. */
export type Start = () => Promise<{ done: Promise<void> } | undefined>;

type Session = {
  /** The member's name and the smallest number that is free: not the connection's. */
  name: string;
  client: pg.PoolClient;
  /** Undefined while no transaction has it; else how many were opened before. */
  opened?: number | undefined;
  /** In the order in which they were asked. */
  parked: { text: string; send: () => Promise<boolean> }[];
  /** Undefined: of a statement that was sent nobody has looked yet whether it waits. */
  sent?: { answered: Promise<void>; waitsFor?: string | undefined; hasWaited?: true } | undefined;
  heldUntil?: 'commit' | 'wait' | undefined;
};

/** More than is ever under way in one process at once: its connections are all made before. */
const connectionsEach = 9;
const mostAtOnce = 9;
/** By how many sessions are open. */
const shareOfBeginnings = [1, 0.6, 0.5, 0.5, 0.4, 0.3];

export function createSchedule(options: {
  random: Random;
  observer: pg.Pool;
  /** Nothing goes on before it has looked at what was committed. */
  onCommit: () => Promise<void>;
}): Schedule {
  const { random, observer, onCommit } = options;
  const sessions: Session[] = [];
  const trace: string[] = [];
  const counts = { lockWaits: 0, holds: 0, deadlocks: 0 };
  let connecting = 0;
  const working = new Set<Promise<void>>();
  let openings = 0;
  let isFree = false;
  let hasCommitted = false;
  let last: Session | undefined;

  /** In an order that is the schedule's own, whatever connection each of them was given. */
  const open = () =>
    sessions.filter(({ opened }) => opened !== undefined).sort((a, b) => a.opened! - b.opened!);
  const sent = () => open().filter((session) => session.sent);

  function gate(session: Session): void {
    const { client } = session;
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const gated = (...args: unknown[]) => {
      if (isFree || session.opened === undefined || typeof args.at(-1) === 'function')
        return query(...args);
      return new Promise((resolve, reject) => {
        const send = async (): Promise<boolean> => {
          try {
            resolve(await query(...args));
            return true;
          } catch (failure) {
            const error = failure as Error & { code?: string };
            if (error.code === '40P01') counts.deadlocks += 1;
            reject(error);
            return false;
          }
        };
        session.parked.push({ text: nameOf(args[0]), send });
      });
    };
    client.query = gated as typeof client.query;
  }

  function noteAnswer(session: Session, text: string, succeeded: boolean): void {
    delete session.sent;
    if (succeeded && text !== 'commit' && text !== 'rollback') return;
    // The transaction is over: whoever waited may have a lock now, or wait for somebody else.
    for (const other of sent()) if (other.sent) other.sent.waitsFor = undefined;
    if (text !== 'commit') return;
    hasCommitted = true;
    for (const other of sessions) if (other.heldUntil === 'commit') delete other.heldUntil;
  }

  function send(session: Session): void {
    const { text, send: go } = session.parked.shift()!;
    trace.push(`${session.name} ${text}`);
    last = session;
    const answered = go().then((succeeded) => noteAnswer(session, text, succeeded));
    session.sent = { answered };
  }

  /** Returns when everybody is parked, waits for a lock, or is done. */
  async function settle(): Promise<void> {
    const deadline = performance.now() + patiently(60_000);
    for (let looks = 0; ; looks += 1) {
      for (let turn = 0; turn < 3; turn += 1) await nextTurn();
      const unseen = sent().filter((session) => session.sent?.waitsFor === undefined);
      const computing = open().some((session) => session.parked.length === 0 && !session.sent);
      if (connecting === 0 && !computing && unseen.length === 0) return;
      if (performance.now() > deadline) throw new Error(`somebody does not go on: ${describe()}`);
      if (unseen.length > 0) {
        const answers = unseen.map((session) => session.sent?.answered);
        await Promise.race([...answers, delay(looks === 0 ? 4 : 10)]);
        await seeWhoWaits(unseen);
      }
    }
  }

  async function seeWhoWaits(unseen: readonly Session[]): Promise<void> {
    const asked = new Map(unseen.flatMap((one) => (one.sent ? [[pidOf(one), one]] : [])));
    if (asked.size === 0) return;
    const { rows } = await observer.query<{ pid: number; blockers: number[] }>(
      `select pid, blockers from unnest($1::int[]) as asked (pid)
       cross join lateral pg_blocking_pids(pid) as blockers where cardinality(blockers) > 0`,
      [[...asked.keys()]],
    );
    for (const { pid, blockers } of rows) {
      const session = asked.get(pid);
      if (!session?.sent) continue;
      const others = sessions.filter((other) => blockers.includes(pidOf(other)));
      session.sent.waitsFor = others.map(({ name }) => name).join() || 'somebody else';
      if (session.sent.hasWaited) continue;
      session.sent.hasWaited = true;
      counts.lockWaits += 1;
      trace.push(`${session.name}   waits for ${session.sent.waitsFor}`);
      for (const other of others) if (other.heldUntil === 'wait') delete other.heldUntil;
    }
  }

  function describe(): string {
    return open()
      .map(({ name, parked, sent: under, heldUntil }) =>
        JSON.stringify([name, parked[0]?.text, under?.waitsFor, heldUntil]),
      )
      .join();
  }

  /** Says whether it had anything to choose from. */
  function choose(): boolean {
    const ready = open().filter(
      ({ parked, sent: under, heldUntil }) => parked.length > 0 && !under && !heldUntil,
    );
    if (ready.length === 0) return false;
    const goesOn = last && ready.includes(last) && random.happens(0.4);
    const session = goesOn ? last! : random.pick(ready);
    const others = open().length > 1;
    // Above all before a commit, when it has all its locks.
    if (others && random.happens(session.parked[0]?.text === 'commit' ? 0.4 : 0.12)) {
      session.heldUntil = random.happens(0.3) ? 'commit' : 'wait';
      counts.holds += 1;
      trace.push(`${session.name}   is held until another ${session.heldUntil}s`);
      return choose();
    }
    send(session);
    return true;
  }

  async function begin(start: Start): Promise<boolean> {
    if (working.size >= mostAtOnce) return false;
    const work = await start();
    if (!work) return false;
    working.add(work.done);
    void work.done.finally(() => working.delete(work.done));
    return true;
  }

  return {
    trace,
    counts,
    async end() {
      isFree = true;
      for (const session of open()) while (session.parked.length > 0) send(session);
      await Promise.all([...working]);
    },

    async attach(member, pool) {
      const connect = pool.connect.bind(pool) as (...args: unknown[]) => unknown;
      const counted = (...args: unknown[]) => {
        if (args.length > 0) return connect(...args);
        connecting += 1;
        return (connect() as Promise<pg.PoolClient>).finally(() => (connecting -= 1));
      };
      pool.connect = counted as typeof pool.connect;
      const sessionOf = new Map<pg.PoolClient, Session>();
      pool.on('connect', (client) => {
        const session: Session = { name: '', client, parked: [] };
        sessionOf.set(client, session);
        sessions.push(session);
        gate(session);
      });
      pool.on('release', (_error, client) => delete sessionOf.get(client)!.opened);
      const connections = Array.from({ length: connectionsEach }, () => pool.connect());
      for (const client of await Promise.all(connections)) {
        // Held back for long is no sleep, but it looks like one to the server.
        await client.query('set idle_in_transaction_session_timeout = 0');
        client.release();
      }
      pool.on('acquire', (client) => {
        const taken = new Set(open().map(({ name }) => name));
        const session = sessionOf.get(client)!;
        for (let n = 1; n === 1 || taken.has(session.name); n += 1) session.name = `${member}${n}`;
        openings += 1;
        session.opened = openings;
      });
    },

    async run(start) {
      for (;;) {
        await settle();
        if (hasCommitted) await onCommit();
        hasCommitted = false;
        if (random.happens(shareOfBeginnings[open().length] ?? 0.2) && (await begin(start)))
          continue;
        if (choose()) continue;
        const held = open().filter((session) => session.heldUntil);
        if (held.length > 0) delete random.pick(held).heldUntil;
        else if (sent().length > 0) {
          // They wait in a circle; the server ends one of them.
          await Promise.race(sent().flatMap(({ sent: under }) => (under ? [under.answered] : [])));
        } else if (!(await begin(start))) {
          if (working.size === 0) return;
          await nextTurn();
        }
      }
    },
  };
}

function pidOf({ client }: Session): number {
  return (client as unknown as { processID: number }).processID;
}

function nameOf(query: unknown): string {
  const { name, text } = (typeof query === 'string' ? { text: query } : query) as pg.QueryConfig;
  return name ?? text.trim().split(/\s+/).slice(0, 3).join(' ');
}
