import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below the range from which the kernel takes the local ports of outgoing connections (32768 and
// up): there, while a server of ours is killed, another connection could take its port, or a client
// that reconnects could even meet itself.
const firstPort = 20_000;
const endPort = 32_000;

const given = new Set<number>();

/** A loopback port that is free, and that this process has not been given before. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(firstPort, endPort);
    if (given.has(port)) continue;
    given.add(port);
    if (await canListen(port)) return port;
  }
}

export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) ports.push(await freePort());
  return ports;
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
