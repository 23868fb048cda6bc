import type { Redis } from 'ioredis';

/** A connection, and the parts of the key space (see keys.ts) that its server serves now. */
export type Serving = { redis: Redis; parts: readonly number[] };

/**
 * Which server serves which part.
 *
 * A command goes only over the connection whose server was checked for its part. A client that
 * follows redirections, or finds a new master by itself, would send a reservation to a server that
 * took over a moment ago, has lost the last keys and holds the sentinel of its predecessor.
 */
export type RedisServers = {
  /**
   * How long after asking the answer of `find` may be used: a server that was deposed, or
   * cut off with some of our processes, is used no longer. So a rebuild elsewhere waits for that.
   */
  leaseMs: number;
  /** Others can take over, so a server's past is part of its name. */
  hasReplicas: boolean;
  /** Parts that are missing are served by nobody, as far as is known. */
  find(): Promise<readonly Serving[]>;
  listen(listener: { onReady: () => void; onClose: (redis: Redis) => void }): void;
  stop(): void;
};

/**
 * One server at one address, always; what was found out about it holds as long as its connection.
 */
export function oneServer(redis: Redis): RedisServers {
  return {
    leaseMs: Infinity,
    hasReplicas: false,
    find: () => Promise.resolve([{ redis, parts: [0] }]),
    listen({ onReady, onClose }) {
      redis.on('ready', onReady);
      redis.on('close', () => onClose(redis));
    },
    stop: () => redis.disconnect(),
  };
}

/** Gives the address of the server of each part, by what this witness knows. */
export type AskWitness = (witness: Redis) => Promise<readonly (string | undefined)[]>;

/**
 * Servers that others may take over from. A part is served by whom most of the witnesses name. Two
 * majorities have a witness in common, and what a witness says only moves forward: nobody is told
 * of the former server after somebody was told of the new one.
 */
export function watchedServers(options: {
  witnesses: readonly Redis[];
  ask: AskWitness;
  partCount: number;
  /** To `host:port`. */
  connect: (address: string) => Redis;
}): RedisServers {
  const { witnesses, ask, partCount, connect } = options;
  const connections = new Map<string, Redis>();
  const listeners: Parameters<RedisServers['listen']>[0][] = [];
  let asked: Promise<unknown> | undefined;

  function connectionTo(address: string): Redis {
    const known = connections.get(address);
    if (known) return known;
    const redis = connect(address);
    connections.set(address, redis);
    redis.on('ready', () => listeners.forEach(({ onReady }) => onReady()));
    redis.on('close', () => listeners.forEach(({ onClose }) => onClose(redis)));
    redis.connect().catch(() => undefined); // A failure is logged, and it goes on trying.
    return redis;
  }

  return {
    leaseMs: 5_000,
    hasReplicas: true,
    async find() {
      asked ??= Promise.allSettled(witnesses.map((witness) => witness.connect()));
      await asked;
      const answers = await Promise.all(
        witnesses.map((witness) =>
          witness.status === 'ready' ? ask(witness).catch(() => []) : Promise.resolve([]),
        ),
      );
      const partsOf = new Map<string, number[]>();
      for (let part = 0; part < partCount; part++) {
        const named = answers.map((answer) => answer[part]);
        const address = majorityOf(named, witnesses.length);
        if (address === undefined) continue;
        partsOf.set(address, [...(partsOf.get(address) ?? []), part]);
      }
      const found = [...partsOf].map(([address, parts]) => {
        return { redis: connectionTo(address), parts };
      });
      const isAll = found.reduce((count, { parts }) => count + parts.length, 0) === partCount;
      for (const [address, redis] of isAll ? connections : []) {
        if (partsOf.has(address)) continue;
        connections.delete(address);
        redis.disconnect();
      }
      return found;
    },
    listen: (listener) => void listeners.push(listener),
    stop() {
      for (const redis of [...witnesses, ...connections.values()]) redis.disconnect();
    },
  };
}

function majorityOf(
  named: readonly (string | undefined)[],
  witnessCount: number,
): string | undefined {
  return named.find(
    (one) => one !== undefined && named.filter((other) => other === one).length * 2 > witnessCount,
  );
}

/** The witness is a node of the cluster. */
export function askForSlots(slots: readonly { slot: number }[]): AskWitness {
  return async (witness) => {
    const ranges = (await witness.call('CLUSTER', 'SLOTS')) as SlotRange[];
    return slots.map(({ slot }) => {
      const master = ranges.find(([first, last]) => first <= slot && slot <= last)?.[2];
      // Without a host of its own a node means the one by which it was reached.
      return master && `${master[0] || witness.options.host}:${master[1]}`;
    });
  };
}

type SlotRange = [first: number, last: number, master: [host: string | null, port: number]];

/** The witness is a sentinel. */
export function askForMaster(name: string): AskWitness {
  return async (witness) => {
    const address = (await witness.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name)) as
      [host: string, port: string] | null;
    return [address?.join(':')];
  };
}
