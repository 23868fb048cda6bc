import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A way to Postgres that breaks when the next commit was carried out, before its answer is through:
 * whoever sent it never knows.
 */
export async function losingAnswers(databaseUrl: string): Promise<{
  url: string;
  loseNextCommit(): void;
  stop(): Promise<void>;
}> {
  const { hostname, port } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let armed = false;
  const server = createServer((client) => {
    const upstream = connect(Number(port || 5432), hostname);
    let loses = false;
    client.on('data', (bytes) => {
      if (armed && bytes.includes('commit')) [armed, loses] = [false, true];
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (loses) client.destroy();
      else client.write(bytes);
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    loseNextCommit: () => void (armed = true),
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
