import { join } from 'node:path';
import { freePorts } from '@tributary/testkit/free-port';
import type { Ports } from './ports.ts';
import { type ServiceReplica, startReplica } from './service-replica.ts';
import type { ServiceName, ServiceRow } from './service-table.ts';
import { repository } from './state-dir.ts';

/** All processes of one service. */
export type ServiceGroup = {
  readonly name: string;
  /** What all its processes are told, without ports. */
  readonly env: Record<string, string>;
  /** In order of start; the first has the ports of the port table. */
  readonly replicas: readonly ServiceReplica[];
  ready(): Promise<void>;
  /**
   * Starts or stops processes until there are `count`, and resolves when they are ready. Not for
   * services behind the edge, whose addresses are fixed when the edge starts.
   */
  scale(count: number): Promise<void>;
  stop(): Promise<void>;
};

export type ReplicaPorts = { port: number | undefined; adminPort: number };

export function startGroup(options: {
  row: ServiceRow;
  ports: readonly ReplicaPorts[];
  env: Record<string, string>;
  logs: string;
  /**
   * The checkout whose code a process runs, by its name; asked at each start. Default: this one.
   */
  checkoutOf?: ((replica: string) => string) | undefined;
  say: (line: string) => void;
  onChange: () => void;
}): ServiceGroup {
  const { row, env, logs, checkoutOf = () => repository, say, onChange } = options;
  const replicas = options.ports.map((ports, i) => launch(i + 1, ports));
  let started = replicas.length;

  function launch(number: number, { port, adminPort }: ReplicaPorts): ServiceReplica {
    const name = number === 1 ? row.name : `${row.name}-${number}`;
    return startReplica({
      name,
      get script() {
        return join(this.cwd, 'src/main.ts');
      },
      get cwd() {
        return join(checkoutOf(name), 'services', row.name);
      },
      env: {
        ...env,
        TRIBUTARY_ADMIN_PORT: String(adminPort),
        ...(port === undefined ? {} : { TRIBUTARY_PORT: String(port) }),
      },
      logFile: join(logs, `${name}.log`),
      user: row.name as ServiceName,
      port,
      adminPort,
      say,
      onChange,
    });
  }

  async function scale(count: number) {
    if (row.port !== undefined) throw new Error(`${row.name} is behind the edge: set replicas`);
    const surplus = replicas.splice(count);
    await Promise.all(surplus.map((replica) => replica.stop()));
    const missing = await freePorts(Math.max(0, count - replicas.length));
    for (const adminPort of missing) {
      started += 1;
      replicas.push(launch(started, { port: undefined, adminPort }));
    }
    onChange();
    await ready();
  }

  async function ready() {
    await Promise.all(replicas.map((replica) => replica.ready()));
  }

  return {
    name: row.name,
    env,
    replicas,
    ready,
    scale,
    async stop() {
      await Promise.all(replicas.map((replica) => replica.stop()));
    },
  };
}

/** The first replica has its ports of the table, the others what is free. */
export async function replicaPorts(
  row: ServiceRow,
  ports: Ports,
  count: number,
): Promise<ReplicaPorts[]> {
  const free = await freePorts(2 * (count - 1));
  return Array.from({ length: count }, (_, i) => {
    const [port, adminPort] =
      i === 0
        ? [row.port === undefined ? 0 : ports[row.port], ports[row.adminPort]]
        : [free[2 * i - 2] ?? 0, free[2 * i - 1] ?? 0];
    return { port: row.port === undefined ? undefined : port, adminPort };
  });
}
