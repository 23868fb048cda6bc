import { randomUUID } from 'node:crypto';
import { decisionCodec } from '@tributary/contracts/decision-record';
import { type V2EventType, v2Events } from '@tributary/contracts/public/v2-events';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import pg from 'pg';
import type { DemoTenant } from '../../deploy/demo/demo-file.ts';
import type { Stack } from '../../deploy/local/stack.ts';
import { call, tokenFor } from '../../test-e2e/calls.ts';
import { sharedStack } from '../../test-e2e/shared-stack.ts';
import { readLag } from '../inspect.ts';
import { countRecords, readLog } from '../read-log.ts';

const moments = [
  '0000-01-01T00:00:00Z',
  '0000-01-01T00:00:00+23:59',
  '9999-12-31T23:59:59.999999999-23:59',
  '2016-12-31T23:59:60Z',
  '2017-01-01T23:59:59.5+23:59',
  '2015-07-01T01:59:60.999+02:00',
  '2026-01-01t00:00:00z',
  '2026-01-01T00:00:00-00:00',
  `2026-01-01T00:00:00.${'9'.repeat(20_000)}Z`,
];

/** Valid but extreme events of every type pass every consumer and every table (design 8). */
describe('extreme but valid events of every type', function () {
  this.timeout(180_000);
  let stack: Stack;
  let tenant: DemoTenant;
  let token: string;

  before(async () => {
    stack = await sharedStack();
    tenant = stack.demo.tenants[0]!;
    token = await tokenFor(stack.demo, tenant);
  });

  async function send(eventType: V2EventType, body: object): Promise<string> {
    const url = `${stack.demo.baseUrl}/v2/events/${eventType}`;
    const answer = await call(url, { method: 'POST', token, body });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(202);
    return (answer.body as { eventId: string }).eventId;
  }

  function bodyOf(eventType: V2EventType, occurredAt: string): object {
    const user = { ucc: tenant.referrer.ucc, occurredAt, newUser: { id: randomUUID() } };
    if (!eventType.startsWith('purchase')) return user;
    const payment = { ...user, currency: 'CLF', invoiceId: randomUUID() };
    const subscription = { interval: 'triennial' };
    return { ...payment, amount: Number.MAX_SAFE_INTEGER, subscription };
  }

  it('are all decided, none is parked, none is left behind', async () => {
    const sent: string[] = [];
    for (const eventType of Object.keys(v2Events) as V2EventType[]) {
      for (const occurredAt of moments) {
        sent.push(await send(eventType, bodyOf(eventType, occurredAt)));
      }
    }
    await eventually(
      async () => {
        const decisions = await readLog(stack.demo, 'attributions', decisionCodec);
        const decided = new Map(decisions.map(({ value }) => [value.eventId, value]));
        for (const eventId of sent) {
          expect(decided.get(eventId)?.outcome, eventId).to.be.oneOf(['attributed', 'waiting']);
        }
      },
      { deadlineMs: 60_000, everyMs: 500 },
    );
    const db = new pg.Client({ connectionString: stack.demo.postgresUrl });
    await db.connect();
    try {
      await eventually(async () => expect(await readLag(stack.demo, db)).to.equal(0), {
        deadlineMs: 30_000,
        everyMs: 300,
      });
    } finally {
      await db.end();
    }
    expect(await countRecords(stack.demo, 'deadLetters')).to.equal(0);
  });
});
