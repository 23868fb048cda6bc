import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, createServer, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { edgeLimits } from '../../deploy/edge/edge-limits.ts';
import { renderEdge } from '../../deploy/edge/render-edge.ts';
import { wholeConfig } from '../../deploy/edge/whole-config.ts';
import { startNginx } from '../../packages/native-servers/src/nginx.ts';
import { freePorts } from '../../packages/testkit/src/free-port.ts';
import type { Benchmark } from '../report.ts';

const halfSent = 2_100;
const requestsOfARound = 2_000;
const atOnce = 8;
const rounds = 5;
/** What the configuration of the nginx image leaves to a worker. */
const ofTheImage = 1_024;

/**
 * What one address with many headers that are half there does to another one: each request of the
 * other is a connection of its own, and rounds without and with them take turns. Once with the
 * connections that we give nginx and once with those of the image. Behind the edge is a server that
 * answers at once: what is measured is the edge.
 */
export const benchEdge: Benchmark = async ({ progress }) => {
  const behind = createServer((_req, res) => res.end('{}')).listen(0, '127.0.0.1');
  await once(behind, 'listening');
  const address = `127.0.0.1:${(behind.address() as AddressInfo).port}`;
  try {
    progress('the edge as it is configured');
    const ours = await measure(address, edgeLimits({}).workerConnections, progress);
    progress('the edge with the connections of the image');
    const images = await measure(address, ofTheImage, progress);
    const row = (name: string, of: Measured) => [
      name,
      ...[of.alone, of.beside].flatMap(({ p50, p99, failed }) => [
        `${p50.toFixed(1)} ms`,
        `${p99.toFixed(1)} ms`,
        failed,
      ]),
    ];
    const head = ['worker_connections', ...['alone', 'beside'].flatMap((of) => columns(of))];
    return {
      name: 'edge',
      figures: {
        'p99 alone, ms': ours.alone.p99,
        [`p99 beside ${halfSent} half-sent headers, ms`]: ours.beside.p99,
        'failed beside them': ours.beside.failed,
        'failed beside them, connections of the image': images.beside.failed,
      },
      ratios: { 'p99 beside / p99 alone': ours.beside.p99 / ours.alone.p99 },
      tables: [
        [head, row(String(edgeLimits({}).workerConnections), ours), row(`${ofTheImage}`, images)],
      ],
      notes: [
        `${rounds} rounds of ${requestsOfARound} requests each, ${atOnce} at once, medians; failed in all rounds`,
      ],
    };
  } finally {
    behind.close();
    behind.closeAllConnections();
  }
};

const columns = (of: string) => [`${of}: p50`, 'p99', 'failed'];

type Measured = { alone: Latency; beside: Latency };
type Latency = { p50: number; p99: number; failed: number };

async function measure(
  behind: string,
  workerConnections: number,
  progress: (line: string) => void,
): Promise<Measured> {
  const dir = await mkdtemp(join(tmpdir(), 'tributary-bench-edge-'));
  const [port = 0, status = 0, counter = 0] = await freePorts(3);
  const limits = { ...edgeLimits({}), workerConnections };
  const only = [behind];
  const http = renderEdge({
    listen: `127.0.0.1:${port}`,
    ...{ ingestApi: only, legacyEvents: only, processorEvents: only, widget: only, portal: only },
    ...{ refusalsLog: 'refusals.log', limits },
    // Nobody counts, so each line is sent for nothing.
    ...{ statusListen: `127.0.0.1:${status}`, counter: `127.0.0.1:${counter}` },
  });
  // One worker, so that no other has connections to spare.
  const configText = wholeConfig(http, limits).replace(
    'worker_processes auto',
    'worker_processes 1',
  );
  const edge = await startNginx({ dir, port, configText });
  try {
    await askMany(port);
    const alone: Latency[] = [];
    const beside: Latency[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      alone.push(await askMany(port));
      const attack = await sendHalves(port);
      beside.push(await askMany(port));
      progress(`round ${round}: ${attack.open()} of ${halfSent} were still half there at its end`);
      attack.end();
    }
    return { alone: medianOf(alone), beside: medianOf(beside) };
  } finally {
    await edge.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

/** From one address, each with a header that does not end. */
async function sendHalves(port: number) {
  const sockets: Socket[] = [];
  const closed = new Set<Socket>();
  for (let n = 0; n < halfSent; n += 1) {
    const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.3' });
    socket.on('error', () => undefined).once('close', () => closed.add(socket));
    socket.write('POST /token HTTP/1.1\r\nHost: a\r\nX-Slow: ');
    sockets.push(socket);
    if (n % 100 === 99) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await new Promise((resolve) => setTimeout(resolve, 200));
  return {
    open: () => sockets.length - closed.size,
    end: () => sockets.forEach((socket) => socket.destroy()),
  };
}

/** From another address, a connection for each. */
async function askMany(port: number): Promise<Latency> {
  const times: number[] = [];
  let left = requestsOfARound;
  let failed = 0;
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const startedMs = performance.now();
      const answered = await ask(port);
      if (!answered) failed += 1;
      times.push(performance.now() - startedMs);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor((times.length - 1) * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99), failed };
}

function ask(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const agent = new Agent({ keepAlive: false, maxSockets: 1 });
    const where = { host: '127.0.0.1', port, localAddress: '127.0.0.2', path: '/token', agent };
    const req = request({ ...where, method: 'POST', timeout: 2_000 }, (res) => {
      res.resume().once('end', () => resolve(res.statusCode === 200));
    });
    req.once('timeout', () => req.destroy());
    req.once('error', () => resolve(false));
    req.end();
  });
}

function medianOf(rounds: readonly Latency[]): Latency {
  const median = (values: number[]) =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
  return {
    p50: median(rounds.map(({ p50 }) => p50)),
    p99: median(rounds.map(({ p99 }) => p99)),
    failed: rounds.reduce((sum, { failed }) => sum + failed, 0),
  };
}
