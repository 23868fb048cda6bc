import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** `services`: what the server sends them; `server`: what they send it. */
export type Direction = 'services' | 'server';

export type Link = Awaited<ReturnType<typeof startLink>>;

/**
 * A link to a server as a network is one: bytes come in order, late, or not before the link is
 * whole again, as TCP has it with packets that are lost for a while. It listens at the port `at`,
 * or at one of its own. It ends with this process, and each of its connections with either end.
 */
export async function startLink(to: { host: string; port: number }, at = 0) {
  let delayMs = (): number => 0;
  let cut: Direction | undefined;
  let late = 0;
  let held = 0;
  const sockets = new Set<Socket>();

  function carry(from: Socket, into: Socket, direction: Direction): void {
    let last = Promise.resolve();
    const send = (bytes: Buffer, dueAt: number) => {
      last = last.then(async () => {
        const waitMs = dueAt - performance.now();
        if (waitMs > 0) await delay(waitMs);
        if (waitMs > 0) late += 1;
        if (cut === direction) held += 1;
        while (cut === direction && !into.destroyed) await delay(20);
        if (!into.destroyed) into.write(bytes);
      });
    };
    from.on('data', (bytes: Buffer) => send(bytes, performance.now() + delayMs()));
    from.on('end', () => void last.then(() => into.end()));
    from.on('close', (isBroken) => void last.then(() => (isBroken ? into.destroy() : into.end())));
    from.on('error', () => undefined);
    sockets.add(from);
    from.on('close', () => sockets.delete(from));
  }

  const server = createServer({ noDelay: true, allowHalfOpen: true }, (near) => {
    const far = connect({ ...to, noDelay: true, allowHalfOpen: true });
    carry(near, far, 'server');
    carry(far, near, 'services');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, '127.0.0.1', resolve);
  });
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    /** From now on bytes are under way for so long. */
    slow: (howLongMs: () => number) => void (delayMs = howLongMs),
    /** From now on nothing comes in this direction. */
    cut: (direction: Direction) => void (cut = direction),
    mend() {
      cut = undefined;
      delayMs = () => 0;
    },
    /** Nobody can connect any more, and connections that there are end. */
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
    /** Parts that came late, and that were held while the link was cut. */
    counts: () => ({ late, held }),
  };
}
