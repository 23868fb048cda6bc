import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { startNativeServer, type NativeServer, type ServerOptions } from './native-server.ts';
import { writeAnew } from './write-anew.ts';

export type PrometheusServer = NativeServer & { readonly url: string };

/**
 * Prometheus with a whole configuration as text; paths in it are relative to `dir`. What it has
 * scraped is kept there for a day.
 */
export async function startPrometheus(
  options: ServerOptions & { configText: string },
): Promise<PrometheusServer> {
  const { dir, port, configText } = options;
  const url = `http://127.0.0.1:${port}`;
  const server = await startNativeServer({
    ...options,
    name: 'prometheus',
    command: prometheusProgram('prometheus'),
    args: [
      `--config.file=${join(dir, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(dir, 'data')}`,
      '--storage.tsdb.retention.time=1d',
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    stopSignal: 'SIGTERM',
    async prepare() {
      await mkdir(join(dir, 'data'), { recursive: true });
      await writeAnew(join(dir, 'prometheus.yaml'), configText);
    },
    isReady: () => isReady(url),
  });
  return Object.assign(server, { url });
}

/**
 * The file of the server, or of the tool that checks its rules: that of this machine, or what the
 * set-up has unpacked.
 *
 * @throws {Error} saying how to get it
 */
export function prometheusProgram(name: 'prometheus' | 'promtool'): string {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const dirs = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    join(cache, 'tributary', 'prometheus', 'usr', 'bin'),
  ];
  const found = dirs.map((dir) => join(dir, name)).find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw new Error(`${name} is on no PATH and not in the cache; npm test fetches it on Debian`);
}

async function isReady(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(1_000);
  const answer = await fetch(`${url}/-/ready`, { signal }).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.status === 200;
}
