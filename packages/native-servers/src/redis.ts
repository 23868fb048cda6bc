import { mkdir, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import type { ServerTls } from './certificates.ts';
import { startNativeServer, type NativeServer, type ServerOptions } from './native-server.ts';
import { writeAnew } from './write-anew.ts';

export type RedisOptions = ServerOptions & {
  /** Absent: nobody needs a password. */
  access?: {
    /** The whole of an ACL file. */
    users: string;
    /** One who may do everything. */
    admin: { name: string; password: string };
  };
  /** Has no port without encryption then. */
  tls?: ServerTls | undefined;
  /** Further lines of its settings, as for a node of a cluster or a replica. */
  settings?: readonly string[] | undefined;
  /** It watches over other servers, as `settings` say, and keeps no data. */
  isSentinel?: boolean | undefined;
};

export type RedisServer = NativeServer & { readonly url: string };

/**
 * Redis, on loopback unless told otherwise, with AOF and noeviction. `everysec` is enough for what
 * a killed process must not lose: each write has reached the kernel before its answer; only a power
 * cut takes a second.
 */
export async function startRedis(options: RedisOptions): Promise<RedisServer> {
  const { dir, port, access, tls, isSentinel = false, address = '127.0.0.1' } = options;
  const settings = join(dir, 'redis.conf');
  const users = join(dir, 'users.acl');
  const server = await startNativeServer({
    ...options,
    name: 'redis',
    command: 'redis-server',
    args: isSentinel ? [settings, '--sentinel'] : [settings],
    stopSignal: 'SIGTERM',
    async prepare() {
      await mkdir(join(dir, 'data'), { recursive: true });
      await rm(users, { force: true });
      if (access !== undefined) await writeAnew(users, access.users, 0o600);
      if (tls !== undefined) {
        await writeAnew(join(dir, 'server.crt'), tls.certificate, 0o600);
        await writeAnew(join(dir, 'server.key'), tls.key, 0o600);
        await writeAnew(join(dir, 'ca.crt'), tls.authority, 0o600);
      }
      const lines = [
        ...linkLines(dir, { port, address, tls }),
        ...(isSentinel ? [] : dataLines),
        ...(access === undefined ? [] : [`aclfile "${users}"`]),
        ...(options.settings ?? []),
      ];
      await writeAnew(settings, `${lines.join('\n')}\n`);
    },
    isReady: () => answersPing({ port, address, tls }, access?.admin),
  });
  const who = access ? `${access.admin.name}:${encodeURIComponent(access.admin.password)}@` : '';
  const scheme = tls === undefined ? 'redis' : 'rediss';
  return Object.assign(server, { url: `${scheme}://${who}${address}:${port}` });
}

type Link = { port: number; address: string; tls: ServerTls | undefined };

function linkLines(dir: string, { port, address, tls }: Link): string[] {
  const encrypted = [
    ...['port 0', `tls-port ${port}`, 'tls-auth-clients no'],
    `tls-cert-file "${join(dir, 'server.crt')}"`,
    `tls-key-file "${join(dir, 'server.key')}"`,
    // For links to other servers.
    `tls-ca-cert-file "${join(dir, 'ca.crt')}"`,
  ];
  return [
    ...(tls === undefined ? [`port ${port}`] : encrypted),
    `bind ${address}`,
    'daemonize no',
    `dir "${join(dir, 'data')}"`,
  ];
}

const dataLines = [
  'appendonly yes',
  'appendfsync everysec',
  'save ""',
  'maxmemory-policy noeviction',
];

/** PONG comes only after the AOF is loaded; until then Redis answers -LOADING. */
function answersPing(
  { port, address, tls }: Link,
  admin: { name: string; password: string } | undefined,
): Promise<boolean> {
  const auth = admin === undefined ? '' : `AUTH ${admin.name} ${admin.password}\r\n`;
  return new Promise((resolve) => {
    const to = { port, host: address, timeout: 1_000 };
    const socket: Socket = tls ? connectTls({ ...to, ca: tls.authority }) : connect(to);
    const finish = (ready: boolean) => {
      socket.destroy();
      resolve(ready);
    };
    socket.once(tls ? 'secureConnect' : 'connect', () => socket.write(`${auth}PING\r\n`));
    let answer = '';
    socket.on('data', (data) => {
      answer += data.toString();
      // One line for each command.
      if (answer.split('\r\n').length > (admin === undefined ? 1 : 2)) {
        finish(answer.endsWith('+PONG\r\n'));
      }
    });
    socket.once('error', () => finish(false));
    socket.once('timeout', () => finish(false));
  });
}
