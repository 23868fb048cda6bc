import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export type Answer = { status: number; body: string } | { failure: string };

export type Clients = {
  /** False when there is no client left to send it. */
  send(request: string, onAnswer: (answer: Answer) => void): boolean;
  mostUnderWay(): number;
  /** Waits until every request has its answer, or none. */
  idle(): Promise<void>;
};

/**
 * A connection each, one request at a time, opened when there is no idle one. They come from
 * several addresses, as the edge limits what one address has under way. Requests are written as
 * they are, and of an answer no more is read than its status and its body: a client library
 * would take more of the machine than what is measured.
 */
export function createClients({ host, port }: { host: string; port: number }): Clients {
  const idle: Client[] = [];
  let open = 0;
  let opened = 0;
  let underWay = 0;
  let most = 0;

  function openClient(): Client {
    open += 1;
    const localAddress = `127.0.1.${1 + (opened++ % addresses)}`;
    const socket = connect({ host, port, localAddress, noDelay: true });
    const client: Client = { socket, received: '', onAnswer: undefined };
    const end = (failure: string) => {
      if (client.isClosed) return;
      client.isClosed = true;
      open -= 1;
      settle(client, { failure });
    };
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      client.received += text;
      const answer = readAnswer(client);
      if (answer) settle(client, answer);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    socket.once('close', () => end('closed'));
    socket.setTimeout(mostWaitMs, () => {
      end('no answer');
      socket.destroy();
    });
    return client;
  }

  function settle(client: Client, answer: Answer): void {
    const { onAnswer } = client;
    client.onAnswer = undefined;
    if (onAnswer) {
      underWay -= 1;
      onAnswer(answer);
    }
    if (!client.isClosed) idle.push(client);
  }

  return {
    send(request, onAnswer) {
      let client = idle.pop();
      while (client?.isClosed) client = idle.pop();
      if (!client && open >= mostClients) return false;
      client ??= openClient();
      client.onAnswer = onAnswer;
      underWay += 1;
      most = Math.max(most, underWay);
      client.socket.write(request);
      return true;
    },
    mostUnderWay: () => most,
    async idle() {
      while (underWay > 0) await delay(50);
      for (const { socket } of idle) socket.destroy();
    },
  };
}

const addresses = 32;
/** More than a process of ingest-api has connections for, so that it comes to that limit too. */
const mostClients = 12_000;
/** Longer than the edge waits for a service. */
const mostWaitMs = 40_000;

type Client = {
  socket: Socket;
  received: string;
  onAnswer: ((answer: Answer) => void) | undefined;
  isClosed?: boolean;
};

/** The one whole answer that has come; undefined while it has not. */
function readAnswer(client: Client): Answer | undefined {
  const { received } = client;
  const headEnds = received.indexOf('\r\n\r\n');
  if (headEnds < 0) return undefined;
  const head = received.slice(0, headEnds);
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  if (length === undefined) throw new Error(`an answer without a length:\n${head}`);
  const body = received.slice(headEnds + 4);
  if (body.length < Number(length)) return undefined;
  client.received = '';
  return { status: Number(head.slice(9, 12)), body };
}
