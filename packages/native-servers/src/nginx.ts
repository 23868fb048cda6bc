import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { startNativeServer, type NativeServer, type ServerOptions } from './native-server.ts';
import { writeAnew } from './write-anew.ts';

export type NginxServer = NativeServer & { readonly url: string };

/**
 * nginx with a whole configuration as text, which listens on `port`. It stays in the foreground
 * and its pid file is set here, so the text says neither; relative paths are below `dir`.
 */
export async function startNginx(
  options: ServerOptions & { configText: string },
): Promise<NginxServer> {
  const { dir, port, configText } = options;
  const server = await startNativeServer({
    ...options,
    name: 'nginx',
    command: 'nginx',
    args: [
      ...['-p', dir, '-c', join(dir, 'nginx.conf'), '-e', 'stderr'],
      ...['-g', 'daemon off; pid nginx-master.pid;'],
    ],
    stopSignal: 'SIGQUIT', // finishes the requests under way
    async prepare() {
      await mkdir(join(dir, 'temp'), { recursive: true });
      await writeAnew(join(dir, 'nginx.conf'), configText);
    },
    isReady: () => acceptsConnections(port),
  });
  return Object.assign(server, { url: `http://127.0.0.1:${port}` });
}

function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1_000 });
    const finish = (ready: boolean) => {
      socket.destroy();
      resolve(ready);
    };
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
    socket.once('timeout', () => finish(false));
  });
}
