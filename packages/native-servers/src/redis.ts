import { mkdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
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
};

export type RedisServer = NativeServer & { readonly url: string };

/**
 * Redis on loopback, with AOF and noeviction. `everysec` is enough for what a killed process must
 * not lose: each write has reached the kernel before its answer; only a power cut takes a second.
 */
export async function startRedis(options: RedisOptions): Promise<RedisServer> {
  const { dir, port, access } = options;
  const settings = join(dir, 'redis.conf');
  const users = join(dir, 'users.acl');
  const server = await startNativeServer({
    ...options,
    name: 'redis',
    command: 'redis-server',
    args: [settings],
    stopSignal: 'SIGTERM',
    async prepare() {
      await mkdir(join(dir, 'data'), { recursive: true });
      await rm(users, { force: true });
      if (access !== undefined) await writeAnew(users, access.users, 0o600);
      await writeAnew(settings, settingsText(dir, port, access && users));
    },
    isReady: () => answersPing(port, access?.admin),
  });
  const who = access ? `${access.admin.name}:${encodeURIComponent(access.admin.password)}@` : '';
  return Object.assign(server, { url: `redis://${who}127.0.0.1:${port}` });
}

function settingsText(dir: string, port: number, users: string | undefined): string {
  return [
    `port ${port}`,
    'bind 127.0.0.1',
    'daemonize no',
    `dir "${join(dir, 'data')}"`,
    'appendonly yes',
    'appendfsync everysec',
    'save ""',
    'maxmemory-policy noeviction',
    ...(users === undefined ? [] : [`aclfile "${users}"`]),
    '',
  ].join('\n');
}

/** PONG comes only after the AOF is loaded; until then Redis answers -LOADING. */
function answersPing(
  port: number,
  admin: { name: string; password: string } | undefined,
): Promise<boolean> {
  const auth = admin === undefined ? '' : `AUTH ${admin.name} ${admin.password}\r\n`;
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1_000 });
    const finish = (ready: boolean) => {
      socket.destroy();
      resolve(ready);
    };
    socket.once('connect', () => socket.write(`${auth}PING\r\n`));
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
