import { secretContext } from '@tributary/contracts/secret-context';
import { sealSecret } from '@tributary/runtime/secrets';
import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { parsePorts } from '../domain/allowed-ports.ts';
import type { Answer, Receiver } from '../testing/receiver.ts';
import { accept, startReceiver, status } from '../testing/receiver.ts';
import type { Exchange } from './exchange.ts';
import type { EndpointTarget } from '../domain/target.ts';
import { createDeliverySender, type SendDelivery } from './send-delivery.ts';
import { testExchange } from './testing/post.ts';
import { patiently } from '@tributary/testkit/patience';

const secrets = [{ keyId: 'k1', key: randomBytes(32) }];
const now = new Date('2026-03-01T10:00:00.000Z');
const body = Buffer.from('{"eventId":"ev-1","data":{"reward":{"amount":2.50}}}');
const old = { username: 'hook-user', password: 'old pässword:1' };
const fresh = { username: 'hook-user-2', password: 'new pässwörd:2' };

describe('createDeliverySender (interface 6.1)', () => {
  let receiver: Receiver;
  let exchange: Exchange;

  beforeEach(async () => {
    receiver = await startReceiver();
    exchange = testExchange();
  });

  afterEach(async () => {
    await exchange.close();
    await receiver.stop();
  });

  function sender(changes: Partial<Parameters<typeof createDeliverySender>[0]> = {}): SendDelivery {
    const allowedPorts = parsePorts('1-65535');
    return createDeliverySender({
      exchange,
      secrets,
      environment: 'sandbox',
      allowedPorts,
      ...changes,
    });
  }

  function endpoint(changes: Partial<EndpointTarget> = {}): EndpointTarget {
    const { username } = fresh;
    const sealedPassword = sealed(fresh.password);
    return {
      tenantId: 't1',
      url: `${receiver.url}/hook?x=1`,
      username,
      sealedPassword,
      ...changes,
    };
  }

  const overlap = (until: string) => ({
    previous: {
      username: old.username,
      sealedPassword: sealed(old.password),
      until: new Date(until),
    },
  });

  it('tells the receiver its place in the trace, where there is one', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await sender()({ body, attempt: 1, now, traceparent }, endpoint());
    await sender()({ body, attempt: 1, now }, endpoint());
    expect(receiver.received.map(({ headers }) => headers['traceparent'])).to.deep.equal([
      traceparent,
      undefined,
    ]);
  });

  it('sends the stored bytes with exactly the headers of the contract', async () => {
    const end = await sender()({ body, attempt: 3, now }, endpoint());
    expect(end).to.include({ end: 'answered', statusCode: 200 });
    const [received] = receiver.received;
    expect([received!.method, received!.path]).to.deep.equal(['POST', '/hook?x=1']);
    expect(received!.rawBody.equals(body)).to.equal(true);
    expect(received!.headers).to.deep.equal({
      host: new URL(receiver.url).host,
      connection: 'keep-alive',
      authorization: basic(fresh),
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(body.length),
      'x-service-env': 'sandbox',
      'user-agent': 'Tributary-Webhooks/1.0',
      'x-tributary-attempt': '3',
    });
  });

  describe('while rotated credentials overlap', () => {
    const until = '2026-03-01T10:00:00.001Z';

    it('sends the old ones first', async () => {
      await sender()({ body, attempt: 1, now }, endpoint(overlap(until)));
      expect(receiver.received.map(credentialsOf)).to.deep.equal([basic(old)]);
    });

    it('asks once more with the new ones when the old ones are answered with 401', async () => {
      receiver.answerWith(knows(fresh));
      const end = await sender()({ body, attempt: 1, now }, endpoint(overlap(until)));
      expect(end).to.include({ end: 'answered', statusCode: 200 });
      expect(receiver.received.map(credentialsOf)).to.deep.equal([basic(old), basic(fresh)]);
      expect(receiver.received.every(({ rawBody }) => rawBody.equals(body))).to.equal(true);
    });

    it('takes 401 to both as the answer', async () => {
      receiver.answerWith(status(401));
      const end = await sender()({ body, attempt: 1, now }, endpoint(overlap(until)));
      expect(end).to.include({ end: 'answered', statusCode: 401 });
      expect(receiver.received).to.have.length(2);
    });

    it('does not ask again after any other answer', async () => {
      receiver.answerWith(status(403));
      await sender()({ body, attempt: 1, now }, endpoint(overlap(until)));
      expect(receiver.received).to.have.length(1);
    });

    it('has one timeout for both', async () => {
      await exchange.close();
      exchange = testExchange({ timeoutMs: patiently(300) });
      receiver.answerWith((res, received) => {
        if (credentialsOf(received) === basic(old)) return void res.writeHead(401).end();
      });
      const end = await sender()({ body, attempt: 1, now }, endpoint(overlap(until)));
      expect(end).to.include({ end: 'no-answer', result: 'timeout' });
      expect(receiver.received).to.have.length(2);
    });

    it('takes both out of what is kept', async () => {
      receiver.answerWith((res) => {
        res.writeHead(500).end(`${old.password} ${basic(fresh)} ${fresh.password} ${basic(old)}`);
      });
      const end = await sender()({ body, attempt: 1, now }, endpoint(overlap(until)));
      const removed = '[removed]';
      const kept = end.end === 'answered' ? end.answer.body : '';
      expect(kept).to.equal(`${removed} Basic ${removed} ${removed} Basic ${removed}`);
    });
  });

  it('sends only the new credentials once the overlap is over, by the time it is given', async () => {
    receiver.answerWith(status(401));
    await sender()({ body, attempt: 1, now }, endpoint(overlap(now.toISOString())));
    expect(receiver.received.map(credentialsOf)).to.deep.equal([basic(fresh)]);
  });

  it('uses a changed configuration at once', async () => {
    const send = sender();
    await send({ body, attempt: 1, now }, endpoint());
    const changed = { username: old.username, sealedPassword: sealed(old.password) };
    await send({ body, attempt: 2, now }, endpoint({ ...changed, url: `${receiver.url}/other` }));
    await send({ body, attempt: 3, now }, endpoint(overlap('2026-03-02T00:00:00Z')));
    expect(receiver.received.map((one) => [one.path, credentialsOf(one)])).to.deep.equal([
      ['/hook?x=1', basic(fresh)],
      ['/other', basic(old)],
      ['/hook?x=1', basic(old)],
    ]);
  });

  it('keeps tenants apart', async () => {
    const send = sender();
    const other = {
      tenantId: 't2',
      username: 'other',
      sealedPassword: sealed('other pässword', 't2'),
    };
    for (let nth = 0; nth < 2; nth += 1) {
      await send({ body, attempt: 1, now }, endpoint());
      await send({ body, attempt: 1, now }, endpoint(other));
    }
    const theirs = basic({ username: 'other', password: 'other pässword' });
    expect(receiver.received.map(credentialsOf)).to.deep.equal([
      basic(fresh),
      theirs,
      basic(fresh),
      theirs,
    ]);
  });

  it('blocks what the rules forbid, says why, and sends nothing', async () => {
    const { port } = new URL(receiver.url);
    const cases: [SendDelivery, string, RegExp][] = [
      [sender({ environment: 'prod' }), receiver.url, /http: is not allowed in prod/],
      [sender({ allowedPorts: parsePorts('443') }), receiver.url, new RegExp(`port ${port}`)],
      [sender(), `http://user:pw@127.0.0.1:${port}/`, /user info/],
      [sender(), `http://10.0.0.1:${port}/`, /10\.0\.0\.1 is not a public address \(private\)/],
      [sender(), 'nonsense', /not a URL/],
    ];
    for (const [send, url, why] of cases) {
      const end = await send({ body, attempt: 1, now }, endpoint({ url }));
      expect(end, url).to.include({ end: 'no-answer', result: 'blocked' });
      expect(end.end === 'no-answer' && end.detail, url).to.match(why);
    }
    expect(receiver.received).to.deep.equal([]);
  });

  it('throws when a password does not open: that is no attempt', async () => {
    const send = sender();
    const moved = endpoint({ sealedPassword: sealed('x', 'another-tenant') });
    const error: unknown = await send({ body, attempt: 1, now }, moved).catch((e: unknown) => e);
    expect(error).to.be.an('error');
    expect(receiver.received).to.deep.equal([]);
    receiver.answerWith(accept);
    expect(await send({ body, attempt: 1, now }, endpoint())).to.include({ end: 'answered' });
  });
});

function sealed(password: string, tenantId = 't1'): string {
  return sealSecret(secrets, password, secretContext(tenantId, 'webhook-password'));
}

function basic({ username, password }: { username: string; password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
}

function credentialsOf({ headers }: { headers: IncomingMessage['headers'] }): string | undefined {
  return headers.authorization;
}

function knows(credentials: typeof fresh): Answer {
  return (res, received) => {
    const known = credentialsOf(received) === basic(credentials);
    res.writeHead(known ? 200 : 401).end();
  };
}
