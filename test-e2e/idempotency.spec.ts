import { randomUUID } from 'node:crypto';
import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type { Demo, DemoTenant } from '../deploy/demo/demo-file.ts';
import { validMembers } from './conformance/valid-bodies.ts';
import type { RawRequest } from './conformance/wire/raw-request.ts';
import {
  createKeyedSender,
  eventIdOf,
  type KeyedAnswer,
  problemOf,
  type SendKeyed,
} from './keyed-requests.ts';
import { sharedDemo } from './shared-stack.ts';

const types = ['purchase-created', 'signup-created', 'demo-attended', 'purchase-refunded'] as const;

/** What a key that was used before leads to (4.1 rules 8 and 9), through the edge. */
describe('requests with a key that was used before', () => {
  let demo: Demo;
  let acme: DemoTenant;
  let send: SendKeyed;

  before(async function () {
    this.timeout(180_000);
    demo = await sharedDemo();
    acme = demo.tenants[0]!;
    send = await createKeyedSender(demo, acme);
  });

  const purchase = (more: object = {}) => ({
    ...validMembers('purchase-created'),
    invoiceId: randomUUID(),
    ...more,
  });

  function expectConflict(answer: KeyedAnswer, what?: string): void {
    expect(answer.status, what).to.equal(409);
    expect(problemOf(answer).code, what).to.equal('IDEMPOTENCY_CONFLICT');
  }

  for (const type of types) {
    it(`${type}: repeats the first answer to the byte, however the body is written (4.1 rule 8)`, async () => {
      const key = randomUUID();
      const members = { ...validMembers(type), ucc: 'CONFORM/É' };
      const text = JSON.stringify(members);
      const reversed = Object.fromEntries(Object.entries(members).reverse());
      const first = await send(text, { type, keys: [key] });
      expect(first.status, first.text).to.equal(202);
      const spellings: Record<string, string> = {
        'as it was': text,
        'in another order': JSON.stringify(reversed),
        'with other blanks': `\r\n${JSON.stringify(members, undefined, '\t')}  \n`,
        'with escapes': text.replace('CONFORM/É', '\\u0043ONFORM\\/\\u00c9'),
        'with escaped names': text.replace('"ucc"', '"\\u0075cc"'),
        'with the key in the body': JSON.stringify({ ...members, idempotencyKey: key }),
        'with the key first, padded': JSON.stringify({ idempotencyKey: `\t${key} `, ...members }),
      };
      for (const [how, spelling] of Object.entries(spellings)) {
        const keys = spelling.includes(key) ? [] : [key];
        expect(await send(spelling, { type, keys }), how).to.eql(first);
      }
      expectConflict(await send({ ...members, ucc: 'conform/é' }, { type, keys: [key] }));
      expect(await send(text, { type, keys: [key] }), 'after the conflict').to.eql(first);
    });
  }

  it('takes -0 for 0, and tells every digit of a large number (4.1 rules 8 and 9)', async () => {
    const key = randomUUID();
    const subscription = { interval: 'yearly', seatsUsed: '@seats@' };
    const text = JSON.stringify(purchase({ amount: '@amount@', subscription }));
    const write = (amount: string, seats: string) =>
      text.replace('"@amount@"', amount).replace('"@seats@"', seats);
    const huge = '9'.repeat(400);
    const first = await send(write('0', huge), { keys: [key] });
    expect(first.status, first.text).to.equal(202);
    expect(await send(write('-0', huge), { keys: [key] })).to.eql(first);
    expectConflict(await send(write('1', huge), { keys: [key] }));
    expectConflict(await send(write('0', `${huge.slice(1)}8`), { keys: [key] }));
  });

  it('refuses the key with any other field, added, changed or left out (4.1 rule 9)', async () => {
    const key = randomUUID();
    const newUser = { id: 'é', email: 'a@example.com', name: 'Nova', organizationId: '1' };
    const subscription = { id: 's', interval: 'monthly', seatsUsed: 1, productKey: 'p' };
    const body = purchase({ occurredAt: '2026-01-31T12:00:00Z', newUser, subscription });
    const first = await send(body, { keys: [key] });
    expect(first.status, first.text).to.equal(202);
    const { email: _email, ...withoutEmail } = newUser;
    const { seatsUsed: _seats, ...withoutSeats } = subscription;
    const others: Record<string, object> = {
      ucc: { ucc: 'CONFORMANCE ' },
      'occurredAt, the same instant in other words': { occurredAt: '2026-01-31T12:00:00+00:00' },
      'newUser.id in another normal form': { newUser: { ...newUser, id: 'e\u0301' } },
      'newUser.email': { newUser: { ...newUser, email: 'A@example.com' } },
      'no newUser.email': { newUser: withoutEmail },
      'newUser.name': { newUser: { ...newUser, name: 'Nova ' } },
      'newUser.organizationId': { newUser: { ...newUser, organizationId: '01' } },
      currency: { currency: 'USD' },
      invoiceId: { invoiceId: randomUUID() },
      amount: { amount: 4901 },
      'subscription.id': { subscription: { ...subscription, id: 'S' } },
      'subscription.interval': { subscription: { ...subscription, interval: 'bi-weekly' } },
      'subscription.seatsUsed': { subscription: { ...subscription, seatsUsed: 0 } },
      'no subscription.seatsUsed': { subscription: withoutSeats },
      'subscription.productKey': { subscription: { ...subscription, productKey: 'P' } },
    };
    for (const [what, change] of Object.entries(others)) {
      expectConflict(await send({ ...body, ...change }, { keys: [key] }), what);
    }
    expect(await send(body, { keys: [key] })).to.eql(first);
  });

  it('repeats a warning that would not be given any more (4.1 rule 8)', async () => {
    let aheadMs = 301_000;
    const { key, body, first } = await eventually(async () => {
      // Five minutes and two seconds ahead: in two seconds it is not too far in the future. Later
      // where it took longer than that to come.
      aheadMs += 1_000;
      const occurredAt = new Date(Date.now() + aheadMs).toISOString();
      const sent = { key: randomUUID(), body: purchase({ occurredAt }) };
      const answer = await send(sent.body, { keys: [sent.key] });
      expect(answer.text).to.contain('OCCURRED_AT_IN_FUTURE');
      return { ...sent, first: answer };
    });
    await eventually(async () => {
      expect((await send(body)).text).not.to.contain('OCCURRED_AT_IN_FUTURE');
    });
    expect(await send(body, { keys: [key] })).to.eql(first);
  });

  it('keeps the keys of event types and tenants apart (4.1 rule 8)', async () => {
    const keys = [randomUUID()];
    const globex = await createKeyedSender(demo, demo.tenants[1]!);
    const members = validMembers('signup-created');
    const answers = [
      await send(members, { type: 'signup-created', keys }),
      await send(members, { type: 'demo-attended', keys }),
      await send(purchase(), { keys }),
      await globex(members, { type: 'signup-created', keys }),
    ];
    expect(answers.map(({ status }) => status)).to.eql([202, 202, 202, 202]);
    expect(new Set(answers.map(eventIdOf)).size).to.equal(4);
    expect(await send(members, { type: 'signup-created', keys })).to.eql(answers[0]);
  });

  const refusals: Record<string, { status: number; change?: Change; body?: object | string }> = {
    'no token': { status: 401, change: withoutHeader('Authorization') },
    'an unknown event type': {
      status: 404,
      change: (request) => ({ ...request, target: '/v2/events/purchase-made' }),
    },
    'another method': { status: 405, change: (request) => ({ ...request, method: 'PUT' }) },
    'no media type': { status: 415, change: withoutHeader('Content-Type') },
    'too large a body': { status: 413, body: ' '.repeat(65_537) },
    'no JSON': { status: 400, body: '{' },
    'an invalid body': { status: 422, body: { amount: 1 } },
  };

  for (const [what, { status, change, body }] of Object.entries(refusals)) {
    it(`uses no key up for a request that is refused: ${what} (${status})`, async () => {
      const keys = [randomUUID()];
      const refused = await send(body ?? purchase(), { keys, ...(change ? { change } : {}) });
      expect(refused.status).to.equal(status);
      const accepted = await send(purchase(), { keys });
      expect(accepted.status, accepted.text).to.equal(202);
    });
  }

  it('answers 50 copies at once with the answer of one (4.1 rule 8, design 8)', async () => {
    const keys = [randomUUID()];
    const body = purchase();
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(body, { keys })));
    expect(new Set(answers.map(({ text }) => text))).to.have.length(1);
    expect(new Set(answers.map(({ status }) => status))).to.eql(new Set([202]));
  });

  it('accepts one of 50 bodies sent at once under one key (4.1 rule 9)', async () => {
    const keys = [randomUUID()];
    const bodies = Array.from({ length: 50 }, () => purchase());
    const answers = await Promise.all(bodies.map((body) => send(body, { keys })));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 202)).to.have.length(1);
    expect(statuses.filter((status) => status === 409)).to.have.length(49);
    const winner = statuses.indexOf(202);
    expect(await send(bodies[winner]!, { keys })).to.eql(answers[winner]);
  });
});

type Change = (request: RawRequest) => RawRequest;

function withoutHeader(name: string): Change {
  return (request) => ({
    ...request,
    headers: request.headers.filter(([found]) => found !== name),
  });
}
