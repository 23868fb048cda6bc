import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type NativeServer, startNativeServer } from '@tributary/native-servers/native-server';
import { freePort } from '@tributary/testkit/free-port';
import type { SentSpan } from '@tributary/testkit/span-collector';

/** The release whose jar is fetched from Maven Central; it needs Java 17. */
const version = '3.6.1';
const digest = 'd8326e0ed4f43855dba81228f688554706e52578a7c782d9a90b73f8680654a1';
const file = `zipkin-server-${version}-exec.jar`;
const source = `https://repo1.maven.org/maven2/io/zipkin/zipkin-server/${version}/${file}`;

/** A Zipkin that keeps what it is sent in memory. */
export async function startZipkin(dir: string): Promise<NativeServer & { url: string }> {
  const jar = await fetchZipkin();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = await startNativeServer({
    ...{ name: 'zipkin', dir, port, command: 'java', stopSignal: 'SIGTERM' },
    args: ['-Xmx256m', '-jar', jar],
    env: { QUERY_PORT: String(port) },
    readyTimeoutMs: 180_000,
    async isReady() {
      const signal = AbortSignal.timeout(1_000);
      const answer = await fetch(`${url}/health`, { signal }).catch(() => undefined);
      await answer?.body?.cancel();
      return answer?.status === 200;
    },
  });
  return Object.assign(server, { url });
}

async function fetchZipkin(): Promise<string> {
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'tributary');
  const jar = join(cache, file);
  if (existsSync(jar)) return jar;
  const answer = await fetch(source);
  if (!answer.ok) throw new Error(`${source} answers ${answer.status}; try again later`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== digest) throw new Error(`${source} is not what it was: its SHA-256 is ${found}`);
  await mkdir(cache, { recursive: true });
  await writeFile(`${jar}.new`, bytes);
  await rename(`${jar}.new`, jar);
  return jar;
}

/** As a collector hands them on to Zipkin, which has no links. */
export async function sendToZipkin(url: string, spans: readonly SentSpan[]): Promise<void> {
  const answer = await fetch(`${url}/api/v2/spans`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(spans.map(toZipkin)),
  });
  if (answer.status !== 202) throw new Error(`Zipkin answers ${answer.status}`);
}

const kinds = [undefined, undefined, 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'];

/** https://opentelemetry.io/docs/specs/otel/trace/sdk_exporters/zipkin/ */
function toZipkin(span: SentSpan) {
  const { traceId, spanId: id, parentSpanId, name, service, attributes, isFailed } = span;
  const startUs = BigInt(span.startTimeUnixNano) / 1_000n;
  const endUs = BigInt(span.endTimeUnixNano) / 1_000n;
  const tags: Record<string, string> = isFailed ? { error: 'true' } : {};
  for (const [key, value] of Object.entries(attributes)) tags[key] = String(value);
  return {
    ...{ traceId, id, name, kind: kinds[span.kind] },
    ...(parentSpanId && { parentId: parentSpanId }),
    timestamp: Number(startUs),
    duration: Math.max(1, Number(endUs - startUs)),
    localEndpoint: { serviceName: service },
    tags,
  };
}
