import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';

// Node accepts one connection of a listening socket in each turn of its event loop. A turn that
// serves many requests is long, so a busy process accepts a few dozen connections a second, and
// whoever opens one then waits for seconds in a queue of the kernel. A listener to which many
// connect at once therefore has several sockets of the same port (SO_REUSEPORT), among which the
// kernel distributes what comes.

export type Acceptors = {
  port: number;
  /** Accepts no more; resolves when all connections have ended. */
  close(): Promise<void>;
};

/** How many may wait to be accepted, by socket; the kernel cuts it to `net.core.somaxconn`. */
const backlog = 4_096;

/** Opens the port of an HTTP server. Rejects when it cannot be had. */
export async function openAcceptors(
  server: HttpServer,
  options: {
    host: string;
    port: number;
    acceptsPerTurn: number;
    maxConnections: number;
    onDrop: () => void;
    onError: (error: Error) => void;
  },
): Promise<Acceptors> {
  const { host, acceptsPerTurn, maxConnections, onDrop, onError } = options;
  // Other systems may know no such sockets.
  const count = process.platform === 'linux' ? acceptsPerTurn : 1;
  const reusePort = count > 1;
  if (reusePort && options.port !== 0) await expectFree(host, options.port);
  const others = Array.from({ length: count - 1 }, () =>
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      server.emit('connection', socket),
    ),
  );
  const all: Server[] = [server, ...others];
  const close = async () => {
    await Promise.all(all.map((each) => new Promise((resolve) => each.close(resolve))));
  };
  try {
    for (const each of all) {
      each.maxConnections = Math.ceil(maxConnections / count);
      each.on('drop', onDrop);
      await startListening(each, { host, port: portOf(server) ?? options.port, reusePort });
      each.on('error', onError);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { port: portOf(server)!, close };
}

/** Sockets that share a port with each other would share it with another process, too. */
async function expectFree(host: string, port: number): Promise<void> {
  const alone = createServer();
  await startListening(alone, { host, port, reusePort: false });
  await new Promise((resolve) => alone.close(resolve));
}

function startListening(
  server: Server,
  options: { host: string; port: number; reusePort: boolean },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...options, backlog }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function portOf(server: Server): number | undefined {
  return (server.address() as AddressInfo | null)?.port;
}
