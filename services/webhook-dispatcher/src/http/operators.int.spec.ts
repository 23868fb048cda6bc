import { createInternalClient } from '@tributary/http/internal-client';
import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import pg from 'pg';
import { silentLogger } from '../testing/database.ts';
import {
  createDispatcherWorld,
  type DispatcherWorld,
  internalToken,
} from '../testing/dispatcher.ts';
import { accept, inTurn, type Receiver, startReceiver, status } from '../testing/receiver.ts';
import { issuance, uuidOf } from '../testing/records.ts';

/** The whole service, as an operator meets it. */
describe('operators of the dispatcher', () => {
  const id = uuidOf('ev-1');
  const by = 'ops@example.com';
  let world: DispatcherWorld;
  let receiver: Receiver;
  let adminUrl: string;

  before(async () => {
    receiver = await startReceiver();
  });

  beforeEach(async () => {
    world = await createDispatcherWorld();
    receiver.received.length = 0;
    receiver.answerWith(accept);
  });

  afterEach(() => world.end());
  after(() => receiver.stop());

  async function start(changes: Parameters<DispatcherWorld['start']>[0] = {}): Promise<void> {
    ({ adminUrl } = await world.start(changes));
    await eventually(
      async () => expect((await fetch(`${adminUrl}/readyz?all`)).status).to.equal(200),
      {
        deadlineMs: 20_000,
      },
    );
  }

  async function ask(path: readonly string[], body: object): Promise<Record<string, unknown>> {
    const client = createInternalClient({
      service: 'webhook-dispatcher',
      baseUrl: adminUrl,
      token: internalToken,
      logger: silentLogger,
    });
    const answer = await client.post(['tenants', 't1', ...path], body);
    if (answer.outcome !== 'answered') throw new Error(JSON.stringify(answer));
    return answer.body as Record<string, unknown>;
  }

  const show = (webhookEventId = id) => ask(['deliveries', webhookEventId, 'show'], {});

  async function eventuallyShown(state: string, attempts: number): Promise<void> {
    await eventually(async () => {
      expect((await show())['delivery']).to.include({ state, attempts });
    });
  }

  it('have a delivered one sent again, byte for byte, and see what was answered each time', async () => {
    receiver.answerWith(
      inTurn(accept, (res) => void res.writeHead(200, { 'x-seen': 'before' }).end('known')),
    );
    await world.setEndpoint(receiver.url);
    await start();
    await world.issue(issuance(id));
    await eventuallyShown('delivered', 1);
    expect(await ask(['deliveries', id, 'resend'], { by, note: 'please' })).to.deep.equal({
      webhookEventId: id,
      state: 'pending',
      round: 1,
      attempts: 1,
    });
    await eventuallyShown('delivered', 2);
    const [first, second] = receiver.received;
    expect(second!.rawBody).to.deep.equal(first!.rawBody);
    expect(second!.headers['x-tributary-attempt']).to.equal('2');

    const { payload, attempts, resends } = await show();
    expect(payload).to.equal(first!.rawBody.toString());
    expect(attempts).to.have.nested.property('[1].round', 1);
    expect(attempts).to.have.nested.property('[1].answer.body', 'known');
    expect(attempts)
      .to.have.nested.property('[1].answer.headers')
      .deep.include(['x-seen', 'before']);
    expect(resends).to.have.nested.property('[0].note', 'please');
  });

  it('have a pending one tried at once instead of when the schedule says', async () => {
    receiver.answerWith(inTurn(status(500), accept));
    await world.setEndpoint(receiver.url);
    await start({ worker: { retryDelaysMs: [3_600_000] } });
    await world.issue(issuance(id));
    await eventuallyShown('pending', 1);
    await ask(['deliveries', id, 'resend'], { by });
    await eventuallyShown('delivered', 2);
  });

  it('test a paused endpoint, which gets nothing else, and recover what expired meanwhile', async () => {
    await world.setEndpoint(receiver.url, { status: 'paused' });
    await start({ worker: { horizonMs: patiently(1_500) } });
    await world.issue(issuance(id));
    const result = await ask(['webhook', 'test'], {});
    expect(result).to.include({ delivered: true, result: 'status', statusCode: 200 });
    await eventuallyShown('exhausted', 0);
    expect(receiver.received.map((one) => one.eventId)).to.deep.equal([result['eventId']]);

    await world.setEndpoint(receiver.url, { version: 2 });
    // A paused one would let the new round expire, too.
    await eventually(async () => {
      expect((await ask(['webhook', 'status'], {}))['endpoint']).to.include({ status: 'active' });
    });
    const since = new Date(Date.now() - 3_600_000).toISOString();
    expect(await ask(['webhook', 'recover'], { by, since, limit: 10 })).to.deep.equal({
      recovered: 1,
      more: false,
      remaining: 0,
    });
    await eventuallyShown('delivered', 1);
    expect(await ask(['webhook', 'status'], {})).to.deep.include({
      waiting: { due: 0, later: 0, exhausted: 0, noEndpoint: 0 },
      failing: false,
    });
  });

  it('find the same in a database that was dropped and rebuilt, but for answers', async () => {
    const [failed, open] = [uuidOf('failed'), uuidOf('open')];
    receiver.answerWith((res, { eventId }) => void res.writeHead(eventId === id ? 200 : 500).end());
    await world.setEndpoint(receiver.url);
    await start({ worker: { retryDelaysMs: [20] } });
    await world.issue(issuance(id), issuance(failed));
    await eventually(async () => {
      expect((await show(failed))['delivery']).to.include({ state: 'exhausted', attempts: 2 });
    });
    await eventuallyShown('delivered', 1);
    await ask(['deliveries', id, 'resend'], { by });
    await eventuallyShown('delivered', 2);
    await world.setEndpoint(receiver.url, { version: 2, status: 'paused' });
    await eventually(async () => {
      expect((await ask(['webhook', 'status'], {}))['endpoint']).to.include({ status: 'paused' });
    });
    await ask(['deliveries', failed, 'resend'], { by, note: 'once more' });
    await world.issue(issuance(open));
    await eventually(async () => {
      expect((await show(open))['delivery']).to.include({ state: 'pending', attempts: 0 });
    });

    const sent = receiver.received.length;
    await start({ schema: 'dispatch_rebuilt' });
    expect(await readRows('dispatch_rebuilt')).to.deep.equal(await readRows('dispatch'));
    expect(receiver.received).to.have.length(sent);
  });

  const of = {
    delivery: `webhook_event_id, tenant_id, issuance_id, reward_id, recipient_id, body, issued_at,
      state, round, round_started_at, attempts, step, claimed_by, finished_at`,
    attempt: `webhook_event_id, attempt, round, step, outcome, result, status_code, started_at,
      duration_ms`,
  };

  async function readRows(schema: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: world.databaseUrl });
    await client.connect();
    try {
      const reads = [
        // When a finished one would be due means nothing.
        `select ${of.delivery}, case when state = 'pending' then due_at end as due_at
         from ${schema}.delivery order by webhook_event_id`,
        `select ${of.attempt} from ${schema}.attempt order by webhook_event_id, attempt`,
        `select * from ${schema}.resend order by webhook_event_id, round`,
      ];
      const found: unknown[] = [];
      for (const sql of reads) found.push((await client.query(sql)).rows);
      return found;
    } finally {
      await client.end();
    }
  }
});
