import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/**
 * A receiver that keeps the rules of interface 6.1, written a second time and small, with a place
 * to break each of them.
 */
export type Broken = Partial<{
  isStranger: (right: string, authorization: string) => boolean;
  strangerStatus: number;
  /** Before the credentials are looked at. */
  before: (body: Buffer, granted: Set<string>) => number | undefined;
  /** What is of another kind, before it is ignored. */
  otherKind: (event: Event) => number | undefined;
  mistakeStatus: number;
  isName: (value: unknown, name: string) => boolean;
  isAmount: (value: unknown) => boolean;
  grant: (answer: Answer) => void;
  repeat: (answer: Answer) => void;
  limitBytes: number;
  /** The two steps of a grant with a gap between them. */
  racing: boolean;
  answer: (res: ServerResponse) => boolean;
}>;

export type Event = Record<string, unknown>;
type Answer = (status: number, headers?: Record<string, string>) => void;

export const credentials = { username: 'acme', password: 'a:sécret' };

export async function startReceiver(broken: Broken = {}) {
  const granted = new Set<string>();
  const requests: { headers: IncomingMessage['headers']; body: string }[] = [];
  const server = createServer((req, res) => {
    void buffer(req).then((body) => {
      requests.push({ headers: req.headers, body: body.toString() });
      receive(broken, granted, req.headers.authorization ?? '', body, res);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/rewards?x=1`),
    granted,
    requests,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function receive(
  broken: Broken,
  granted: Set<string>,
  authorization: string,
  body: Buffer,
  res: ServerResponse,
): void {
  if (broken.answer?.(res)) return;
  const answer: Answer = (status, headers = {}) => void res.writeHead(status, headers).end('said');
  const early = broken.before?.(body, granted);
  if (early !== undefined) return answer(early);
  const isStranger = broken.isStranger ?? differs;
  if (isStranger(rightHeader, authorization)) return answer(broken.strangerStatus ?? 401);
  if (body.length > (broken.limitBytes ?? 65_536)) return answer(413);

  const event = parse(body);
  const data = (event['data'] ?? {}) as Event;
  if (event['eventType'] !== 'new-reward' || data['rewardType'] !== 'credits') {
    return answer(broken.otherKind?.(event) ?? 204);
  }
  if (!isComplete(event, data, broken)) return answer(broken.mistakeStatus ?? 400);
  const eventId = String(event['eventId']);
  const grant = () => {
    if (broken.racing && granted.has(eventId)) return answer(500);
    granted.add(eventId);
    (broken.grant ?? ((to) => to(200)))(answer);
  };
  if (granted.has(eventId)) return (broken.repeat ?? ((to) => to(200)))(answer);
  if (broken.racing) setImmediate(() => setTimeout(grant, 20));
  else grant();
}

function isComplete(event: Event, data: Event, broken: Broken): boolean {
  const {
    isName = (value) => typeof value === 'string' && value !== '',
    isAmount = (value) => typeof value === 'number',
  } = broken;
  const names = { eventId: event['eventId'], ...data } as Event;
  const amount = (data['reward'] as Event | undefined)?.['amount'];
  return (
    ['eventId', 'rewardId', 'productUserId'].every((name) => isName(names[name], name)) &&
    isAmount(amount)
  );
}

const { username, password } = credentials;
const rightHeader = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

function differs(right: string, given: string): boolean {
  const [a, b] = [Buffer.from(right), Buffer.from(given)];
  return a.length !== b.length || !timingSafeEqual(a, b);
}

function parse(body: Buffer): Event {
  try {
    return JSON.parse(body.toString()) as Event;
  } catch {
    return {};
  }
}
