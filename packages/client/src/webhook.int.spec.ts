import { once } from 'node:events';
import { createServer, request, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'chai';
import express from 'express';
import type { Reward } from './validate-reward.ts';
import { grantOnce, receiveReward, rewardWebhook } from './webhook.ts';

const credentials = { username: 'acme', password: 'a:secret' };
const authorization = basic(credentials);
const webhook = {
  version: '1.0.0',
  eventType: 'new-reward',
  createdTs: '2026-11-21T12:10:23.465Z',
  eventId: 'e1',
  data: { rewardId: 'r1', productUserId: 'u1', rewardType: 'credits', reward: { amount: 50 } },
};

describe('receiveReward', () => {
  const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
  const grant = () => 'granted' as const;
  const receive = (body: unknown, more: object = {}) =>
    receiveReward({ authorization, body }, { ...credentials, grant, ...more });

  it('answers 401 before anything else without valid credentials (rule 1)', async () => {
    const body = Buffer.from('not JSON');
    for (const wrong of [undefined, 'Basic eDp5']) {
      const answer = await receiveReward({ authorization: wrong, body }, { ...credentials, grant });
      expect(answer.status).to.equal(401);
      expect(answer.headers['www-authenticate']).to.match(/^Basic realm=/);
    }
  });

  it('accepts old and new credentials while they are exchanged', async () => {
    const next = { username: 'acme', password: 'next' };
    const receiver = { credentials: [credentials, next], grant };
    for (const one of [credentials, next]) {
      const delivery = { authorization: basic(one), body: bytes(webhook) };
      expect((await receiveReward(delivery, receiver)).status).to.equal(200);
    }
  });

  it('hands the reward to grant, and says 2xx (rule 4)', async () => {
    const granted: Reward[] = [];
    const answer = await receive(bytes(webhook), {
      grant(reward: Reward) {
        granted.push(reward);
        return 'granted';
      },
    });
    expect(answer).to.deep.include({ status: 200, body: { duplicate: false } });
    expect(granted).to.deep.equal([
      { eventId: 'e1', rewardId: 'r1', productUserId: 'u1', amount: 50, payload: webhook },
    ]);
  });

  it('says 2xx of a repeated eventId (rule 4)', async () => {
    const answer = await receive(bytes(webhook), { grant: () => 'repeated' });
    expect(answer).to.deep.include({ status: 200, body: { duplicate: true } });
  });

  it('ignores another kind with 2xx, and does not call grant (rule 2)', async () => {
    const never = () => expect.fail('grant was called');
    const answer = await receive(bytes({ eventType: 'campaign-ended' }), { grant: never });
    expect(answer).to.deep.include({ status: 200, body: { ignored: true } });
  });

  it('answers 400 to what is broken, and does not call grant (rule 3)', async () => {
    const never = () => expect.fail('grant was called');
    const { eventId: _eventId, ...incomplete } = webhook;
    const infinite = JSON.stringify(webhook).replace('"amount":50', '"amount":1e999');
    for (const body of [
      ...[bytes(incomplete), infinite, '', '{', Buffer.from([0x22, 0xff, 0x22]), undefined],
    ]) {
      const answer = await receive(body, { grant: never });
      expect(answer.status).to.equal(400);
      expect(answer.body['message']).to.be.a('string');
    }
  });

  it('answers 500 when grant throws or rejects, so that it comes again (rule 5)', async () => {
    const error = new Error('the database is away: postgres://secret');
    for (const grant of [
      () => Promise.reject(error),
      () => {
        throw error;
      },
    ]) {
      const answer = await receive(bytes(webhook), { grant });
      expect(answer).to.include({ status: 500, error });
      expect(JSON.stringify([answer.headers, answer.body])).to.not.match(/secret/);
    }
  });
});

describe('grantOnce', () => {
  /** A database of one transaction at a time, whose writes count when it ends well. */
  function createLedger() {
    const ledger = { events: new Set<string>(), credits: 0 };
    let last: Promise<unknown> = Promise.resolve();
    const transaction = <T>(work: (tx: typeof ledger) => Promise<T>): Promise<T> => {
      const run = last.then(async () => {
        const draft = { events: new Set(ledger.events), credits: ledger.credits };
        const result = await work(draft);
        Object.assign(ledger, draft);
        return result;
      });
      last = run.catch(() => undefined);
      return run;
    };
    const insertOnce = async (tx: typeof ledger, { eventId }: Reward) =>
      !tx.events.has(eventId) && tx.events.add(eventId) !== undefined;
    return { ledger, transaction, insertOnce };
  }

  it('grants one eventId once, however often and at the same time it comes (rule 4)', async () => {
    const { ledger, transaction, insertOnce } = createLedger();
    const credit = async (tx: typeof ledger, { amount }: Reward) => void (tx.credits += amount);
    const grant = grantOnce({ transaction, insertOnce, credit });
    const receive = () =>
      receiveReward({ authorization, body: webhook }, { ...credentials, grant });
    const answers = await Promise.all(Array.from({ length: 10 }, receive));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(10).fill(200));
    expect(answers.filter(({ body }) => body['duplicate'] === false)).to.have.length(1);
    expect(ledger.credits).to.equal(50);
  });

  it('forgets the eventId when the credits fail, so that the retry grants', async () => {
    const { ledger, transaction, insertOnce } = createLedger();
    let broken = true;
    const credit = async (tx: typeof ledger, { amount }: Reward) => {
      if (broken) throw new Error('broken');
      tx.credits += amount;
    };
    const grant = grantOnce({ transaction, insertOnce, credit });
    const receive = () =>
      receiveReward({ authorization, body: webhook }, { ...credentials, grant });
    expect((await receive()).status).to.equal(500);
    broken = false;
    expect((await receive()).body).to.deep.equal({ duplicate: false });
    expect(ledger.credits).to.equal(50);
  });
});

describe('rewardWebhook', () => {
  let server: Server;
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const options = { ...credentials, grant: () => 'granted' as const };
  const handler = (more: object = {}): RequestListener => {
    const handle = rewardWebhook({ ...options, ...more });
    return (req, res) => void handle(req, res);
  };

  const servers: Record<string, () => RequestListener> = {
    'node:http': () => handler(),
    express: () => express().post('/', rewardWebhook(options)) as RequestListener,
    'express after express.json()': () =>
      express().use(express.json()).post('/', rewardWebhook(options)) as RequestListener,
    'express after express.raw()': () =>
      express()
        .use(express.raw({ type: () => true }))
        .post('/', rewardWebhook(options)) as RequestListener,
    'express after express.text()': () =>
      express()
        .use(express.text({ type: () => true }))
        .post('/', rewardWebhook(options)) as RequestListener,
    'express after a parser that leaves an empty object': () =>
      express()
        .use((req, _res, next) => {
          req.body = {};
          next();
        })
        .post('/', rewardWebhook(options)) as RequestListener,
  };

  for (const [what, create] of Object.entries(servers)) {
    it(`follows the receiver rules in ${what}`, async () => {
      const url = await listen(create());
      const granted = await post(url, JSON.stringify(webhook));
      expect(granted).to.deep.include({ status: 200, body: { duplicate: false } });
      expect((await post(url, '{"eventType":"other"}')).body).to.deep.equal({ ignored: true });
      expect(
        (await post(url, '{"eventType":"new-reward","data":{"rewardType":"credits"}}')).status,
      ).to.equal(400);
      const stranger = await post(url, JSON.stringify(webhook), { authorization: 'Basic eDp5' });
      expect(stranger.status).to.equal(401);
      expect(stranger.headers.get('www-authenticate')).to.match(/^Basic /);
    });
  }

  it('refuses a body above the limit with 413, announced or not', async () => {
    const url = await listen(handler({ bodyLimitBytes: 1_000 }));
    const large = JSON.stringify({ ...webhook, more: 'x'.repeat(1_000) });
    expect((await post(url, large)).status).to.equal(413);
    expect(await postChunked(url, large)).to.equal(413);
    expect((await post(url, JSON.stringify(webhook))).status).to.equal(200);
  });

  it('answers a stranger without waiting for the body', async () => {
    const { port } = new URL(await listen(handler()));
    const socket = connect(Number(port), '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"ha');
    const [data] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    expect(data.toString()).to.match(/^HTTP\/1\.1 401 /);
  });

  it('tells what grant threw to onError, and answers 500 (rule 5)', async () => {
    const reported: unknown[] = [];
    const error = new Error('broken');
    const grant = () => Promise.reject(error);
    const url = await listen(handler({ grant, onError: (what: unknown) => reported.push(what) }));
    const answer = await post(url, JSON.stringify(webhook));
    expect(answer).to.deep.include({
      status: 500,
      body: { message: 'the reward could not be granted' },
    });
    expect(reported).to.deep.equal([error]);
  });

  it('lives through an onError that throws', async () => {
    const grant = () => Promise.reject(new Error('broken'));
    const onError = () => {
      throw new Error('observer');
    };
    let handled: Promise<void> | undefined;
    const handle = rewardWebhook({ ...options, grant, onError });
    const url = await listen((req, res) => void (handled = handle(req, res)));
    expect((await post(url, JSON.stringify(webhook))).status).to.equal(500);
    await handled;
  });

  it('lives through a sender that leaves in the middle of its body', async () => {
    const handle = rewardWebhook(options);
    let handled: Promise<void> | undefined;
    const url = await listen((req, res) => void (handled = handle(req, res)));
    const received = once(server, 'request');
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(
      `POST / HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Length: 100\r\n\r\n{"ha`,
    );
    await received;
    socket.destroy();
    await handled; // it does not reject
    expect((await post(url, JSON.stringify(webhook))).status).to.equal(200);
  });

  it('takes the body that a platform has put there, and reads no stream', async () => {
    let sent = '';
    const endless: AsyncIterator<unknown> = { next: () => new Promise(() => undefined) };
    const req = {
      ...{ headers: { authorization }, body: webhook, readableDidRead: false },
      [Symbol.asyncIterator]: () => endless,
    };
    const res = {
      ...{ statusCode: 0, setHeader: () => undefined, destroy: () => undefined },
      end: (text: string) => void (sent = text),
    };
    server = createServer();
    await rewardWebhook(options)(req, res);
    expect([res.statusCode, sent]).to.deep.equal([200, '{"duplicate":false}\n']);
  });

  async function listen(listener: RequestListener): Promise<string> {
    server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }
});

function basic({ username, password }: typeof credentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

async function post(url: string, body: string, more: Record<string, string> = {}) {
  const headers = { authorization, 'content-type': 'application/json; charset=utf-8', ...more };
  const answer = await fetch(url, { method: 'POST', headers, body });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

/** Without a Content-Length. */
async function postChunked(url: string, body: string): Promise<number | undefined> {
  const req = request(url, { method: 'POST', headers: { authorization } });
  req.write(body.slice(0, 10));
  req.end(body.slice(10));
  const [res] = (await once(req, 'response')) as [{ statusCode?: number; resume(): void }];
  res.resume();
  return res.statusCode;
}
