import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerTls } from '@tributary/native-servers/certificates';
import { type KafkaOptions, type KafkaServer, startKafka } from '@tributary/native-servers/kafka';
import { startPostgres } from '@tributary/native-servers/postgres';
import { startRedis } from '@tributary/native-servers/redis';
import { type AdminSettings, applyPostgresRoles } from '../roles/apply-postgres.ts';
import { redisAclFile } from '../roles/redis-users.ts';
import { defaultRolePrefix, roleName } from '../roles/roles-table.ts';
import { createLogger } from '@tributary/runtime/logger';
import { type DiskSizes, mountDisk } from './data-disk.ts';
import { freePorts, type Ports } from './ports.ts';
import type { RunReport } from './run-report.ts';
import { uidOf } from './os-users.ts';
import { ensureCertificates, type ServerCertificates } from './server-certificates.ts';
import { kafkaAdmin } from './server-variables.ts';
import type { ServicePasswords } from './service-passwords.ts';
import type { Servers } from './service-variables.ts';
import type { Shutdown } from './shutdown.ts';
import type { StateDir } from './state-dir.ts';
import type { Steps } from './steps.ts';

export type StackServers = Awaited<ReturnType<typeof startServers>>;

/** Kafka, Redis and Postgres, all at once; a failed one leaves the others to the shutdown. */
export async function startServers(deps: {
  state: StateDir;
  ports: Ports;
  passwords: ServicePasswords;
  steps: Steps;
  report: RunReport;
  shutdown: Shutdown;
  /** Encrypted, all three. */
  tls: boolean;
  /** Where others than this machine reach them. Default: loopback. */
  address?: string;
  /** How many of Kafka. Default 1. */
  brokers?: number;
  /** A second listener of the first of these. */
  indirect?: KafkaOptions['indirect'];
  disks?: DiskSizes;
}) {
  const { state, ports, steps, report, shutdown, passwords, address, brokers = 1 } = deps;
  const { disks = {} } = deps;
  const certificates = deps.tls ? presentCertificates(state) : undefined;
  const dir = (name: string) => join(state.data, name);

  async function start<S extends { pid: number; stop(): Promise<unknown> }>(
    name: string,
    port: number,
    launch: () => Promise<S>,
  ): Promise<S> {
    return steps.run(`${name} on port ${port}`, async () => {
      await mountDiskOf(name);
      const server = await launch();
      shutdown.add('servers', () => server.stop());
      report.watch(() => [{ name, pid: server.pid, port }]);
      return server;
    });
  }

  async function mountDiskOf(name: string): Promise<void> {
    const mebibytes = disks[name as keyof DiskSizes];
    if (mebibytes === undefined) return;
    const unmount = await mountDisk(join(dir(name), 'data'), mebibytes);
    shutdown.add('disks', unmount);
  }

  const startBroker = (name: string, port: number, more: object) =>
    start(name, port, () =>
      startKafka({
        dir: dir(name),
        address,
        uid: uidOf('kafka'),
        port,
        controllerPort: ports.kafkaController,
        admin: { user: kafkaAdmin, password: passwords.kafka.admin },
        tls: certificates?.kafka,
        logFile: join(state.logs, `${name}.log`),
        properties: ofOffsets(brokers),
        ...more,
      }),
    );

  async function startBrokers(): Promise<[KafkaServer, ...KafkaServer[]]> {
    const first = await startBroker('kafka', ports.kafka, { indirect: deps.indirect });
    const { clusterId } = first;
    const joining = (await freePorts(brokers - 1)).map((port, i) =>
      startBroker(`kafka-${i + 2}`, port, { nodeId: i + 2, joins: { clusterId } }),
    );
    await Promise.allSettled(joining);
    return [first, ...(await Promise.all(joining))];
  }

  // Every start is awaited before one failure is reported, so that none is missed by the shutdown.
  const starting = [
    startBrokers(),
    start('redis', ports.redis, () =>
      startRedis({
        dir: dir('redis'),
        address,
        uid: uidOf('redis'),
        port: ports.redis,
        access: redisAccess(passwords.redis),
        tls: certificates?.redis,
      }),
    ),
    start('postgres', ports.postgres, () =>
      startPostgres({
        dir: dir('postgres'),
        address,
        port: ports.postgres,
        database: 'tributary',
        password: passwords.postgres.admin,
        tls: certificates?.postgres,
      }),
    ).then(async (server) => {
      await steps.run('roles in postgres', () =>
        makeRoles({ url: server.url, ...caOf(certificates?.postgres) }, passwords.postgres),
      );
      return server;
    }),
  ] as const;
  await Promise.allSettled(starting);
  const [[kafka, ...moreKafka], redis, postgres] = await Promise.all(starting);
  const caFile = deps.tls ? state.authorityFile : undefined;
  return { kafka, moreKafka, redis, postgres, ...(caFile !== undefined && { caFile }) };
}

/** The topic of the groups' offsets is made by whichever broker is asked for it first. */
function ofOffsets(brokers: number): Record<string, string> {
  return brokers < 3 ? {} : { 'offsets.topic.replication.factor': '3', 'min.insync.replicas': '2' };
}

/** Made once; whom they are signed by is left for the services, which are other users. */
function presentCertificates(state: StateDir): ServerCertificates {
  const certificates = ensureCertificates(state.certificatesFile);
  writeFileSync(state.authorityFile, certificates.kafka.authority, { mode: 0o644 });
  return certificates;
}

function caOf(certificate: ServerTls | undefined): { tls?: { ca: string } } {
  return certificate === undefined ? {} : { tls: { ca: certificate.authority } };
}

export function redisAccess(passwords: ServicePasswords['redis']) {
  const admin = { name: roleName(defaultRolePrefix, 'admin'), password: passwords.admin };
  return { users: redisAclFile(defaultRolePrefix, passwords), admin };
}

function makeRoles(admin: AdminSettings, passwords: ServicePasswords['postgres']): Promise<void> {
  const logger = createLogger({ service: 'roles', level: 'error' });
  return applyPostgresRoles({ admin, prefix: defaultRolePrefix, passwords, logger });
}

export function serverAddresses(servers: StackServers): Servers {
  const { kafka, moreKafka, redis, postgres, caFile } = servers;
  const kafkaBrokers = [kafka, ...moreKafka].map(({ brokers }) => brokers).join(',');
  return {
    ...{ kafkaBrokers, postgresUrl: postgres.url, redisUrl: redis.url },
    ...(caFile !== undefined && { caFile }),
  };
}
