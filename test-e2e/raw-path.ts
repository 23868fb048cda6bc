import { once } from 'node:events';
import { connect } from 'node:net';
import { patiently } from '@tributary/testkit/patience';
import type { Answer } from './calls.ts';

/** GET of a path exactly as it is written, in UTF-8: every HTTP client tidies something up. */
export async function askRaw(
  baseUrl: string,
  path: string,
  headers: Record<string, string>,
): Promise<Answer> {
  const { hostname, port, host } = new URL(baseUrl);
  const lines = Object.entries({ host, connection: 'close', ...headers });
  const socket = connect(Number(port), hostname);
  socket.setTimeout(patiently(20_000), () => socket.destroy(new Error('no answer in time')));
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`GET ${path} HTTP/1.1\r\n${text}\r\n`);
  await once(socket, 'close');
  return parseAnswer(Buffer.concat(chunks).toString('utf8'));
}

function parseAnswer(text: string): Answer {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return { status: Number(statusLine.split(' ')[1]), headers, body: JSON.parse(body) as unknown };
}
