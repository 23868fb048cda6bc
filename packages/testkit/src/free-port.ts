import { randomInt } from 'node:crypto';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

// Below the range from which the kernel takes the local ports of outgoing connections (32768 and
// up): there, while a server of ours is killed, another connection could take its port, or a client
// that reconnects could even meet itself.
const firstPort = 20_000;
const endPort = 32_000;

// Between the choice of a port and the moment when a service listens at it, or while a killed
// service is away, it looks free to the other processes of the tests: a file of its name says that
// it is not.
const reservations = join(tmpdir(), `tributary-test-ports-${userInfo().uid}`);
const reservedMs = 3_600_000;

/**
 * A loopback port that is free, and that no process of the tests was given within the last hour.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(firstPort, endPort);
    if ((await reserve(port)) && (await canListen(port))) return port;
  }
}

export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) ports.push(await freePort());
  return ports;
}

async function reserve(port: number): Promise<boolean> {
  await mkdir(reservations, { recursive: true });
  const reservation = join(reservations, String(port));
  const given = await stat(reservation).catch(() => undefined);
  if (given !== undefined && Date.now() - given.mtimeMs > reservedMs) {
    await rm(reservation, { force: true });
  }
  return writeFile(reservation, String(process.pid), { flag: 'wx' }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw error;
    },
  );
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
