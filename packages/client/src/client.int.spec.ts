import { inspect } from 'node:util';
import { expect } from 'chai';
import { createTributaryClient } from './client.ts';
import { TributaryAnswerError, TributaryNetworkError, TributaryProblem } from './errors.ts';
import {
  accepted,
  type FakeService,
  json,
  patiently,
  problem,
  purchase,
  rejection,
  secret,
  startService,
} from './testing/fake-service.ts';

describe('the client', () => {
  let service: FakeService;
  before(async () => (service = await startService()));
  beforeEach(() => service.reset());
  after(() => service.stop());

  const signup = {
    ucc: purchase.ucc,
    occurredAt: purchase.occurredAt,
    newUser: { id: 'user-17' },
  };

  describe('events', () => {
    it('posts each of the four to its path as JSON, with the token (4.1, 4.2)', async () => {
      const client = service.client();
      const { subscription: _subscription, ...refund } = purchase;
      expect(await client.purchaseCreated(purchase)).to.deep.equal(accepted);
      await client.signupCreated(signup);
      await client.demoAttended(signup);
      await client.purchaseRefunded(refund);
      expect(service.api.seen.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([
        'POST /v2/events/purchase-created',
        'POST /v2/events/signup-created',
        'POST /v2/events/demo-attended',
        'POST /v2/events/purchase-refunded',
      ]);
      const [first] = service.api.seen;
      expect(first?.headers).to.include({
        authorization: 'Bearer token-1',
        'content-type': 'application/json',
      });
      const bodies = service.api.seen.map(({ body }) => JSON.parse(body) as unknown);
      expect(bodies).to.deep.equal([purchase, signup, signup, refund]);
    });

    it('makes the key of what is sent, also of a value whose JSON is text', async () => {
      const dated = { ...purchase, occurredAt: new Date(purchase.occurredAt) as unknown as string };
      await service.client().purchaseCreated(dated);
      await service.client().purchaseCreated(purchase);
      const keys = service.api.seen.map(({ headers }) => headers['idempotency-key']);
      expect(keys[0]).to.equal(keys[1]);
    });

    it('gives an event without a key the same key in every process, made of its content', async () => {
      const { subscription: _subscription, ...refund } = purchase;
      await service.client().purchaseRefunded(refund);
      await service.client().purchaseRefunded({ ...refund });
      await service.client().purchaseRefunded({ ...refund, amount: 4899 });
      await service.client().purchaseCreated(purchase);
      const keys = service.api.seen.map(({ headers }) => headers['idempotency-key']);
      expect(keys[0]).to.match(/^content-v1-[0-9a-f]{64}$/);
      expect(keys[1]).to.equal(keys[0]);
      expect(new Set(keys).size).to.equal(3);
    });

    it('says of a conflict about such a key when the event is stored, and what to do if not', async () => {
      service.api.turns.push(problem(409, 'IDEMPOTENCY_CONFLICT'));
      const error = await rejection(service.client().purchaseCreated(purchase));
      expect(error).to.include({ code: 'IDEMPOTENCY_CONFLICT', detail: 'A detail.' });
      const { message } = error as Error;
      expect(message).to.contain('an earlier report of it, with other particulars, was received');
      // A report that got a 503 holds the key although nothing may be on the log.
      expect(message).to.contain('stored if that report was answered with 202; otherwise send');
      expect(message).to.contain('this one with a key of your own').and.not.contain('refund');
      service.api.turns.push(problem(409, 'IDEMPOTENCY_CONFLICT'));
      const { subscription: _subscription, ...refund } = purchase;
      const ofRefund = await rejection(service.client().purchaseRefunded(refund));
      expect((ofRefund as Error).message).to.contain('another key would make a second refund');
      expect((ofRefund as Error).message).to.not.contain('this one with a key of your own');
      service.api.turns.push(problem(409, 'IDEMPOTENCY_CONFLICT'));
      const options = { idempotencyKey: 'k1' };
      const own = await rejection(service.client().purchaseCreated(purchase, options));
      expect((own as Error).message).to.not.contain('an earlier report');
    });

    it('sends the key of the caller as the header, its bytes in UTF-8 (design 8)', async () => {
      await service.client().purchaseCreated(purchase, { idempotencyKey: 'Rechnung-17-€' });
      const header = service.api.seen[0]?.headers['idempotency-key'] as string;
      expect(Buffer.from(header, 'latin1').toString('utf8')).to.equal('Rechnung-17-€');
    });

    it('sends no header beside a key in the body (4.1 rules 7 and 10)', async () => {
      await service.client().purchaseCreated({ ...purchase, idempotencyKey: 'k1' });
      expect(service.api.seen[0]?.headers).to.not.have.property('idempotency-key');
      expect(JSON.parse(service.api.seen[0]!.body)).to.include({ idempotencyKey: 'k1' });
    });

    it('leaves two different keys to the service to refuse (4.1 rule 10)', async () => {
      const both = { ...purchase, idempotencyKey: 'k1' };
      await service.client().purchaseCreated(both, { idempotencyKey: 'k2' });
      expect(service.api.seen[0]?.headers['idempotency-key']).to.equal('k2');
      expect(JSON.parse(service.api.seen[0]!.body)).to.include({ idempotencyKey: 'k1' });
    });

    it('hands warnings to the result and to the hook (2.7)', async () => {
      const warnings = [{ code: 'A_NEW_ONE', detail: 'Something.', pointer: '/occurredAt' }];
      service.api.turns.push(json(202, { ...accepted, warnings }));
      const reported: unknown[] = [];
      const client = service.client({ onWarning: (...about) => void reported.push(about) });
      expect((await client.demoAttended(signup)).warnings).to.deep.equal(warnings);
      const about = { eventType: 'demo-attended', eventId: accepted.eventId };
      expect(reported).to.deep.equal([[warnings[0], about]]);
    });

    it('resolves although the hook for warnings throws: the event is stored', async () => {
      service.api.turns.push(json(202, { ...accepted, warnings: [{ code: 'X', detail: 'x' }] }));
      const warned = new Promise((resolve) => process.once('warning', resolve));
      const onWarning = () => {
        throw new Error('the hook broke');
      };
      await service.client({ onWarning }).signupCreated(signup);
      expect(await warned).to.have.property('message', 'the hook broke');
    });

    for (const [what, amount] of [
      ['a float', 49.5],
      ['NaN', NaN],
      ['a number beyond 2^53', 2 ** 53],
      ['a bigint', 4900n as unknown as number],
    ] as const) {
      it(`refuses ${what} as amount before it is sent (4.1 rule 2)`, async () => {
        const error = await rejection(service.client().purchaseCreated({ ...purchase, amount }));
        expect(error).to.be.instanceOf(TypeError);
        expect((error as Error).message).to.match(/^amount must be a whole number/);
        expect(service.api.seen).to.have.length(0);
      });
    }

    it('refuses seats that are no whole number', async () => {
      const subscription = { interval: 'monthly', seatsUsed: 1e21 } as const;
      const error = await rejection(
        service.client().purchaseCreated({ ...purchase, subscription }),
      );
      expect((error as Error).message).to.match(/^subscription.seatsUsed must be/);
    });

    it('leaves every other rule to the service', async () => {
      const odd = { amount: '4900', currency: 'eur', newUser: null, extra: 1 };
      await service.client().purchaseCreated(odd as unknown as typeof purchase);
      expect(JSON.parse(service.api.seen[0]!.body)).to.deep.equal(odd);
    });
  });

  describe('look-ups', () => {
    it('finds the record of a code (4.5)', async () => {
      const record = { code: 'a b/ü', valid: false, productUserId: 'u1', campaignId: 'c1' };
      service.api.turns.push(json(200, record));
      expect(await service.client().lookup('a b/ü')).to.deep.equal(record);
      expect(service.api.seen[0]).to.include({
        method: 'GET',
        path: '/referral-codes/a%20b%2F%C3%BC',
      });
      expect(service.api.seen[0]?.headers).to.include({ authorization: 'Bearer token-1' });
      expect(service.api.seen[0]?.headers).to.not.have.property('content-type');
    });

    it('finds the active link of a user (4.6)', async () => {
      const link = { activeUcc: 'MiYK421SmMb', link: 'https://acme.example/join?ucc=MiYK421SmMb' };
      service.api.turns.push(json(200, link));
      expect(await service.client().activeLink('ada@acme')).to.deep.equal(link);
      expect(service.api.seen[0]?.path).to.equal('/referral-codes/active-link/ada%40acme');
    });

    it('asks for an event with the token, and waits until it is decided', async () => {
      const event = { eventId: accepted.eventId, outcome: 'pending' };
      const decided = { ...event, outcome: 'not-attributed', reason: 'unknown-code' };
      service.api.turns.push(
        json(200, event),
        problem(404, 'NOT_FOUND'),
        json(200, { ...event, outcome: 'undecided' }),
        json(200, decided),
      );
      const client = service.client();
      expect(await client.event(accepted.eventId)).to.deep.equal(event);
      expect(await client.waitForDecision(accepted.eventId)).to.deep.equal(decided);
      const { path, headers } = service.api.seen.at(-1)!;
      expect(path).to.equal(`/api/events/${accepted.eventId}`);
      expect(headers.authorization).to.equal('Bearer token-1');
    });

    it('waits for a decision no longer than it is told', async () => {
      const turn = json(200, { eventId: accepted.eventId, outcome: 'pending' });
      service.api.turns.push(...Array.from({ length: 20 }, () => turn));
      const client = service.client();
      await client.accessToken();
      const deadlineMs = patiently(150);
      const error = await rejection(client.waitForDecision(accepted.eventId, { deadlineMs }));
      expect(error).to.be.instanceOf(TributaryNetworkError);
      expect(error).to.include({ timedOut: true, operation: 'GET /api/events/{eventId}' });
      expect(service.api.seen.length).to.be.within(1, 8);
    });

    it('passes on the abort of one who waits for a decision', async () => {
      const reason = new Error('enough');
      const signal = AbortSignal.abort(reason);
      const waiting = service.client().waitForDecision(accepted.eventId, { signal });
      expect(await rejection(waiting)).to.equal(reason);
    });

    it('says undefined of a code or user that is missing: no failure (4.5)', async () => {
      service.api.turns.push(problem(404, 'NOT_FOUND'), problem(404, 'NOT_FOUND'));
      expect(await service.client().lookup('unknown')).to.equal(undefined);
      expect(await service.client().activeLink('unknown')).to.equal(undefined);
    });

    it('does not take the 404 of a proxy for a missing code', async () => {
      service.api.turns.push((res) => res.writeHead(404).end('<html>not found</html>'));
      const error = await rejection(service.client().lookup('MiYK421SmMb'));
      expect(error).to.be.instanceOf(TributaryAnswerError);
      expect(error).to.include({ status: 404, retryable: false });
    });

    for (const code of ['.', '..', '\ud800']) {
      it(`asks nobody for ${JSON.stringify(code)}, which no URL can carry`, async () => {
        expect(await service.client().lookup(code)).to.equal(undefined);
        expect(await service.client().activeLink(code)).to.equal(undefined);
        expect(service.api.seen).to.have.length(0);
      });
    }
  });

  describe('refusals', () => {
    it('are problems with code, status and every violation (2.8)', async () => {
      const errors = [{ pointer: '/amount', code: 'INVALID_TYPE', detail: 'Wrong.' }];
      service.api.turns.push(problem(422, 'VALIDATION_ERROR', { errors }));
      const error = await rejection(service.client().purchaseCreated(purchase));
      expect(error).to.be.instanceOf(TributaryProblem).and.instanceOf(Error);
      expect(error).to.deep.include({
        ...{ name: 'TributaryProblem', code: 'VALIDATION_ERROR', status: 422, title: 'A title' },
        ...{ type: 'urn:tributary:problem:validation-error', detail: 'A detail.', instance: 'r1' },
        ...{ errors, operation: 'POST /v2/events/purchase-created', attempts: 1 },
        ...{ retryable: false },
      });
      expect((error as Error).message).to.equal(
        'POST /v2/events/purchase-created: 422 VALIDATION_ERROR: A detail. [/amount INVALID_TYPE]',
      );
    });

    it('are problems also with a code that nobody knows yet', async () => {
      service.api.turns.push(problem(402, 'PLAN_EXHAUSTED'));
      const error = await rejection(service.client().lookup('x'));
      expect(error).to.be.instanceOf(TributaryProblem).and.include({ code: 'PLAN_EXHAUSTED' });
    });

    it('are distinguished from answers of another server at the address', async () => {
      service.api.turns.push((res) => res.writeHead(200).end('<html>welcome</html>'));
      const error = await rejection(service.client().purchaseCreated(purchase));
      expect(error).to.be.instanceOf(TributaryAnswerError).and.include({ status: 200 });
    });

    it('follows no redirect, which could carry the token to another server', async () => {
      service.api.turns.push((res) => res.writeHead(307, { location: '/elsewhere' }).end());
      const error = await rejection(service.client().purchaseCreated(purchase));
      expect(error).to.be.instanceOf(TributaryAnswerError).and.include({ status: 307 });
      expect(service.api.seen).to.have.length(1);
    });
  });

  describe('secrets', () => {
    it('are in no error, and not in the client when it is printed (5 rule 1)', async () => {
      const client = service.client({ maxAttempts: 1 });
      service.token.turns.push(problem(401, 'UNAUTHORIZED'));
      const errors = [await rejection(client.purchaseCreated(purchase))];
      service.api.turns.push(problem(422, 'VALIDATION_ERROR'), (res) => void res.destroy());
      errors.push(await rejection(client.purchaseCreated(purchase)));
      errors.push(await rejection(client.purchaseCreated(purchase)));
      const nowhere = service.client({ baseUrl: 'http://127.0.0.1:1', maxAttempts: 1 });
      errors.push(await rejection(nowhere.lookup('x')));
      const printed = [client, ...errors].map((value) =>
        inspect(value, { depth: Infinity, showHidden: true }),
      );
      expect(printed.join('\n')).to.not.match(new RegExp(`${secret}|token-\\d`));
      expect(JSON.stringify([client, ...errors])).to.not.match(new RegExp(`${secret}|token-\\d`));
    });

    it('are in no complaint about the settings', () => {
      const good = { baseUrl: 'https://x.example', accessKeyId: 'ak-1', secretAccessKey: secret };
      for (const [wrong, complaint] of [
        [{ baseUrl: `https://user:${secret}@x.example` }, /^baseUrl must be/],
        [{ baseUrl: secret }, /^baseUrl must be/],
        [{ baseUrl: `https://x.example/?key=${secret}` }, /^baseUrl must be/],
        [{ accessKeyId: '' }, /^accessKeyId is missing/],
        [{ secretAccessKey: undefined as unknown as string }, /^secretAccessKey is missing/],
      ] as const) {
        const create = () => createTributaryClient({ ...good, ...wrong });
        expect(create).to.throw(TypeError, complaint);
        expect(create).to.not.throw(secret);
      }
    });
  });

  it('keeps a path of the base URL, with or without a slash at its end', async () => {
    for (const end of ['/referrals', '/referrals/']) {
      service.reset();
      service.api.turns.push(json(201, { accessToken: 't', expiresIn: 60 }));
      await service.client({ baseUrl: `${service.baseUrl}${end}` }).signupCreated(signup);
      expect(service.api.seen.map(({ path }) => path)).to.deep.equal([
        '/referrals/token',
        '/referrals/v2/events/signup-created',
      ]);
    }
  });
});
