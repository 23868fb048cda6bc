import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { startNativeServer, type NativeServer, type ServerOptions } from './native-server.ts';

export type RedisServer = NativeServer & { readonly url: string };

/**
 * Redis on loopback, with AOF and noeviction. `everysec` is enough for what a killed process must
 * not lose: each write has reached the kernel before its answer; only a power cut takes a second.
 */
export async function startRedis(options: ServerOptions): Promise<RedisServer> {
  const { dir, port } = options;
  const settings = join(dir, 'redis.conf');
  const server = await startNativeServer({
    ...options,
    name: 'redis',
    command: 'redis-server',
    args: [settings],
    stopSignal: 'SIGTERM',
    async prepare() {
      await mkdir(join(dir, 'data'), { recursive: true });
      await writeFile(settings, settingsText(dir, port));
    },
    isReady: () => answersPing(port),
  });
  return Object.assign(server, { url: `redis://127.0.0.1:${port}` });
}

function settingsText(dir: string, port: number): string {
  return [
    `port ${port}`,
    'bind 127.0.0.1',
    'daemonize no',
    `dir "${join(dir, 'data')}"`,
    'appendonly yes',
    'appendfsync everysec',
    'save ""',
    'maxmemory-policy noeviction',
    '',
  ].join('\n');
}

/** PONG comes only after the AOF is loaded; until then Redis answers -LOADING. */
function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1_000 });
    const finish = (ready: boolean) => {
      socket.destroy();
      resolve(ready);
    };
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (data) => finish(data.toString().startsWith('+PONG')));
    socket.once('error', () => finish(false));
    socket.once('timeout', () => finish(false));
  });
}
