import { existsSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerTls } from './certificates.ts';
import { startNativeServer, type NativeServer, type ServerOptions } from './native-server.ts';
import { findUser, runToEnd, type RunAs } from './run-as.ts';
import { writeAnew } from './write-anew.ts';

export type PostgresOptions = ServerOptions & {
  database: string;
  /** False skips fsync: faster, and still whole after a killed process, not after a power cut. */
  durable?: boolean;
  /**
   * The superuser's, `postgres`. Every connection then needs a password; a directory that was
   * started without, or with another one, takes this one over. Absent: nobody needs any.
   */
  password?: string;
  /** Takes no connection that is not encrypted. */
  tls?: ServerTls | undefined;
  /**
   * A running primary with the same settings and password. A new directory becomes a copy of it
   * that follows it, read-only, under this name until it is promoted (`select pg_promote()`).
   */
  standbyOf?: { url: string; name: string } | undefined;
};

export type PostgresServer = NativeServer & { readonly url: string };

/** Postgres, on loopback unless told otherwise; the URL is that of the superuser `postgres`. */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const { dir, port, database, durable = true, password, tls, address = '127.0.0.1' } = options;
  const { standbyOf } = options;
  const urlOf = (db: string, own?: string) => adminUrl(`${address}:${port}`, db, own);
  const bin = await postgresBin();
  const data = join(dir, 'data');
  const runAs = await unprivileged(data);
  const psql = (db: string, sql: string) =>
    runToEnd([join(bin, 'psql'), '-XAtqd', urlOf(db), '-c', sql], {
      cwd: '/',
      // Not in the URL, where a list of processes would show it.
      env: password === undefined ? {} : { PGPASSWORD: password },
    });

  const server = await startNativeServer({
    ...options,
    name: 'postgres',
    command: join(bin, 'postgres'),
    args: ['-D', data, ...settings({ port, address, durable, encrypted: tls !== undefined })],
    runAs,
    stopSignal: 'SIGINT', // "fast": ends sessions instead of waiting for them
    async prepare() {
      await ownDataDirectory(data);
      if (!existsSync(join(data, 'PG_VERSION'))) {
        if (standbyOf === undefined) await initialise(bin, data, runAs);
        else await copyPrimary({ bin, data, runAs, ...standbyOf });
      }
      // A killed server leaves it. The directory was just claimed, so the pid in it, which some
      // other process may have by now, means nothing.
      await rm(join(data, 'postmaster.pid'), { force: true });
      if (tls !== undefined) await writeCertificate(data, tls);
      await setAuthentication({
        bin,
        dir,
        data,
        runAs,
        // A standby has that of its primary.
        password: standbyOf === undefined ? password : undefined,
        method: password === undefined ? 'trust' : 'scram-sha-256',
        address,
        encrypted: tls !== undefined,
      });
    },
    isReady: () => psql('postgres', 'select 1').then(isOne, () => false),
  });
  try {
    await createIfMissing(psql, database);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return Object.assign(server, { url: urlOf(database, password) });
}

/**
 * Who may connect, and the superuser's password. That is set by the server's single-user mode,
 * before anybody can connect, and only where it is another one than the last time.
 */
async function setAuthentication(options: {
  bin: string;
  dir: string;
  data: string;
  runAs: RunAs | undefined;
  password: string | undefined;
  method: 'trust' | 'scram-sha-256';
  address: string;
  encrypted: boolean;
}): Promise<void> {
  const { bin, dir, data, runAs, password, method, address, encrypted } = options;
  const kind = encrypted ? 'hostssl' : 'host';
  const clients = address === '127.0.0.1' ? '127.0.0.1/32' : '0.0.0.0/0';
  // A standby asks for no database but for replication, which only a superuser may here.
  await writeFile(join(data, 'pg_hba.conf'), `${kind} all,replication all ${clients} ${method}\n`);
  if (password === undefined) return;
  const digest = createHash('sha256').update(password).digest('hex');
  const note = join(dir, 'password-digest');
  const known = await readFile(note, 'utf8').catch(() => '');
  if (known === digest) return;
  const single = [join(bin, 'postgres'), '--single', '-j', '-D', data, 'postgres'] as const;
  const input = `alter role postgres password '${password.replaceAll("'", "''")}';\n\n`;
  await runToEnd([...single], { runAs, cwd: '/', input });
  await writeFile(note, digest, { mode: 0o600 });
}

/** Postgres takes a key that is its own and nobody else's. */
async function writeCertificate(data: string, { certificate, key }: ServerTls): Promise<void> {
  const user = process.getuid?.() === 0 ? await findUser('postgres') : undefined;
  for (const [name, text] of [
    ['server.crt', certificate],
    ['server.key', key],
  ] as const) {
    const file = join(data, name);
    await writeAnew(file, text, 0o600);
    if (user !== undefined) await chown(file, user.uid, user.gid);
  }
}

function settings(options: {
  port: number;
  address: string;
  durable: boolean;
  encrypted: boolean;
}): string[] {
  const { port, address, durable, encrypted } = options;
  const chosen: Record<string, string> = {
    port: String(port),
    listen_addresses: address,
    unix_socket_directories: '',
    max_connections: '300',
    ssl: encrypted ? 'on' : 'off',
    log_timezone: 'UTC',
    timezone: 'UTC',
  };
  // synchronous_commit stays on: without it a killed process loses what it acknowledged.
  // One of tests serves several specs at a time, each with the pools of whole systems.
  const ofTests = { fsync: 'off', full_page_writes: 'off', max_connections: '600' };
  if (!durable) Object.assign(chosen, ofTests);
  return Object.entries(chosen).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function initialise(bin: string, data: string, runAs: RunAs | undefined): Promise<void> {
  const flags = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8'];
  await runToEnd([join(bin, 'initdb'), '-D', data, '--no-sync', ...flags], { runAs, cwd: '/' });
}

async function copyPrimary(options: {
  bin: string;
  data: string;
  runAs: RunAs | undefined;
  url: string;
  name: string;
}): Promise<void> {
  const { bin, data, runAs, name } = options;
  const { hostname, port, username, password } = new URL(options.url);
  const primary = `host=${hostname} port=${port} user=${username} application_name=${name}`;
  const flags = ['--write-recovery-conf', '--checkpoint=fast', '--no-sync'];
  await runToEnd([join(bin, 'pg_basebackup'), '-D', data, '-d', primary, ...flags], {
    ...{ runAs, cwd: '/' },
    // In the environment, where a list of processes does not show it.
    env: password === '' ? {} : { PGPASSWORD: decodeURIComponent(password) },
  });
}

async function createIfMissing(
  psql: (database: string, sql: string) => Promise<string>,
  database: string,
): Promise<void> {
  if (!/^[a-z_][a-z0-9_]*$/.test(database)) throw new Error(`odd database name: ${database}`);
  const found = await psql('postgres', `select 1 from pg_database where datname = '${database}'`);
  if (!isOne(found)) await psql('postgres', `create database ${database}`);
}

/** Postgres refuses to run as root, so there it runs as the user that Debian's package made. */
async function unprivileged(data: string): Promise<RunAs | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  if ((await findUser('postgres')) === undefined) {
    throw new Error('Postgres cannot run as root, and there is no OS user named postgres');
  }
  return { user: 'postgres', reach: data };
}

async function ownDataDirectory(data: string): Promise<void> {
  await mkdir(data, { recursive: true, mode: 0o700 });
  await chmod(data, 0o700);
  const user = process.getuid?.() === 0 ? await findUser('postgres') : undefined;
  if (user !== undefined) await chown(data, user.uid, user.gid);
}

const debianRoot = '/usr/lib/postgresql';

/** Debian keeps the programs of each version off the PATH; the newest one is taken. */
async function postgresBin(): Promise<string> {
  const versions = (await readdir(debianRoot).catch(() => [])).map(Number).sort((a, b) => b - a);
  for (const version of versions) {
    const bin = join(debianRoot, String(version), 'bin');
    if (existsSync(join(bin, 'postgres'))) return bin;
  }
  for (const bin of (process.env['PATH'] ?? '').split(':')) {
    if (existsSync(join(bin, 'postgres'))) return bin;
  }
  throw new Error(`Postgres is not installed (looked in ${debianRoot} and on the PATH)`);
}

function adminUrl(host: string, database: string, password?: string): string {
  const user = password === undefined ? 'postgres' : `postgres:${encodeURIComponent(password)}`;
  return `postgresql://${user}@${host}/${database}`;
}

function isOne(output: string): boolean {
  return output.trim() === '1';
}
