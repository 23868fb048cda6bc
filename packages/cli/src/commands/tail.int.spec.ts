import { expect } from 'chai';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runTributary } from '../run-tributary.ts';

const answers: Record<string, object> = {
  '/api/events/e1': {
    ...{ eventId: 'e1', eventType: 'signup-created', source: 'v2', newUserId: 'u1' },
    ...{ ucc: 'c1', receivedAt: 't1' },
  },
  '/api/tenants/acme/events/e1/versions': {
    versions: [
      { recordedAt: 't2', decision: { outcome: 'attributed', referrerId: 'ada', campaignId: 'x' } },
    ],
  },
  '/api/tenants/acme/rewards/r1/versions': {
    versions: [
      {
        recordedAt: 't3',
        reward: { state: 'issued', entitledCredits: '5', recipientId: 'ada', ruleId: 'signup' },
      },
    ],
  },
  '/api/tenants/acme/deliveries/w1': {
    delivery: {
      ...{ state: 'delivered', attempts: 1, recipientId: 'ada', issuedAt: 't3' },
      ...{ lastAttempt: { startedAt: 't4', statusCode: 200 }, finishedAt: 't5' },
    },
  },
};

const flow = ['delivery w1', 'reward r1', 'decision e1', 'event e1', 'event gone', 'code c1'];

describe('tributary tail', () => {
  /** Statuses between the first stream and the next; 0 is no answer. */
  let answersBetween: readonly number[] = [];
  beforeEach(() => {
    answersBetween = [];
  });

  /** Each stream has the same notice and ends; what is asked for is answered from the table. */
  async function tail(...flags: string[]) {
    let streams = 0;
    const away = [...answersBetween];
    const server = createServer((req, res) => {
      if (req.url === '/api/tenants/acme/changes') {
        streams += 1;
        const busy = streams >= 2 ? away.shift() : undefined;
        if (busy === 0) return void req.socket.destroy();
        if (busy !== undefined) {
          const problem = { status: busy, code: 'X', title: 'x', detail: 'Not now.' };
          res.writeHead(busy, { 'content-type': 'application/json' });
          return void res.end(JSON.stringify(problem));
        }
        const notice = (data: object) => res.write(`data: ${JSON.stringify(data)}\n\n`);
        notice({ type: 'resync' });
        const kinds = streams === 1 ? flow.slice(1) : flow;
        const changes = kinds.map((text) => text.split(' ')).map(([kind, id]) => ({ kind, id }));
        notice({ type: 'changes', changes });
        return void res.end(': end\n\n');
      }
      const answer = answers[req.url ?? ''];
      const missing = { status: 404, code: 'NOT_FOUND', title: 'x', detail: 'x' };
      res.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
      res.end(JSON.stringify(answer ?? missing));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const printed = { out: '', err: '' };
    const code = await runTributary({
      argv: ['tail', '--tenant', 'acme', ...flags],
      env: { TRIBUTARY_ADMIN_URL: url, TRIBUTARY_ADMIN_TOKEN: 'token' },
      cwd: '/',
      input: (async function* () {})(),
      out: (line) => void (printed.out += `${line}\n`),
      err: (line) => void (printed.err += `${line}\n`),
    });
    server.closeAllConnections();
    server.close();
    return { code, ...printed };
  }

  it('prints the flow in its order, connects again, and repeats nothing', async () => {
    expect(await tail('--lines', '4')).to.deep.equal({
      code: 0,
      out: [
        't1  request   e1  signup-created by v2: user u1, code c1',
        't2  decision  e1  attributed to ada by x',
        't3  reward    r1  issued: 5 credits for ada by rule signup',
        't5  webhook   w1  delivered: to ada, attempt 1, status 200',
        '',
      ].join('\n'),
      err: 'Following acme.\nConnected again; some may be missing.\n',
    });
  });

  it('goes on after a portal that was away or busy, and ends at what does not pass', async () => {
    answersBetween = [503, 0, 429];
    const { code, err } = await tail('--lines', '4');
    expect(code).to.equal(0);
    expect(err).to.equal(
      'Following acme.\nTrying again: Not now.\nConnected again; some may be missing.\n',
    );
    answersBetween = [403];
    expect(await tail('--lines', '4')).to.include({ code: 1 });
  });

  it('prints lines of JSON with --json', async () => {
    const { out, err } = await tail('--lines', '1', '--json');
    expect(JSON.parse(out)).to.include({ what: 'request', id: 'e1', at: 't1' });
    expect(JSON.parse(err)).to.deep.equal({ note: 'Following acme.' });
  });
});
