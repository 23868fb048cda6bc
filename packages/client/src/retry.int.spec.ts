import { expect } from 'chai';
import { TributaryAnswerError, TributaryNetworkError, TributaryProblem } from './errors.ts';
import {
  accepted,
  type FakeService,
  json,
  patiently,
  problem,
  purchase,
  rejection,
  reset,
  silence,
  startService,
  type Turn,
} from './testing/fake-service.ts';

describe('attempts', () => {
  let service: FakeService;
  before(async () => (service = await startService()));
  beforeEach(() => service.reset());
  after(() => service.stop());

  const unavailable = problem(503, 'SERVICE_UNAVAILABLE');
  const keys = () => service.api.seen.map(({ headers }) => headers['idempotency-key']);

  const temporary: Record<string, Turn> = {
    'a 503': unavailable,
    'a 503 in HTML': (res) => res.writeHead(503).end('<html>'),
    'a 502': (res) => res.writeHead(502).end('<html>'),
    'a 504': (res) => res.writeHead(504).end(),
    'a 429': problem(429, 'SLOW_DOWN'),
    'a cut connection': reset,
    'a connection cut in the middle of the answer': (res) => {
      res.writeHead(202, { 'content-length': '1000' }).write('{"eventId":');
      setImmediate(() => res.destroy());
    },
    'no answer in time': silence,
  };

  for (const [what, turn] of Object.entries(temporary)) {
    it(`are repeated after ${what}: same key, same bytes (4.1 rule 8)`, async () => {
      service.api.turns.push(turn, turn);
      const timeoutMs = patiently(turn === silence ? 150 : 10_000);
      const client = service.client({ timeoutMs });
      expect(await client.purchaseCreated(purchase)).to.deep.equal(accepted);
      // On a busy machine the good answer may be later than a short time too.
      if (turn === silence) expect(service.api.seen.length).to.be.at.least(3);
      else expect(service.api.seen).to.have.length(3);
      expect(new Set(keys()).size).to.equal(1);
      expect(keys()[0]).to.be.a('string');
      expect(new Set(service.api.seen.map(({ body }) => body)).size).to.equal(1);
    });
  }

  it('are repeated by the key of the caller, in header or body', async () => {
    service.api.turns.push(unavailable);
    await service.client().purchaseCreated(purchase, { idempotencyKey: 'k1' });
    expect(keys()).to.deep.equal(['k1', 'k1']);
    service.reset();
    service.api.turns.push(unavailable);
    await service.client().purchaseCreated({ ...purchase, idempotencyKey: 'k2' });
    expect(service.api.seen.map(({ body }) => body.includes('"idempotencyKey":"k2"'))).to.eql([
      true,
      true,
    ]);
    expect(keys()).to.deep.equal([undefined, undefined]);
  });

  it('are repeated for look-ups and for the token', async () => {
    service.token.turns.push(unavailable, reset);
    service.api.turns.push(unavailable, json(200, { code: 'x', valid: true }));
    expect(await service.client().lookup('x')).to.deep.equal({ code: 'x', valid: true });
    expect(service.token.seen).to.have.length(3);
    expect(service.api.seen).to.have.length(2);
  });

  for (const [status, code] of [
    [400, 'IDEMPOTENCY_KEY_CONFLICT'],
    [404, 'UNKNOWN_EVENT_TYPE'],
    [409, 'IDEMPOTENCY_CONFLICT'],
    [413, 'PAYLOAD_TOO_LARGE'],
    [422, 'VALIDATION_ERROR'],
    [500, 'INTERNAL_ERROR'],
  ] as const) {
    it(`are not repeated after ${status} ${code}`, async () => {
      service.api.turns.push(problem(status, code));
      const error = await rejection(service.client().purchaseCreated(purchase));
      expect(error).to.be.instanceOf(TributaryProblem).and.include({ code, attempts: 1 });
      expect(service.api.seen).to.have.length(1);
    });
  }

  it('end at maxAttempts, with the key for a later try', async () => {
    service.api.turns.push(unavailable, unavailable, unavailable);
    const error = await rejection(service.client({ maxAttempts: 2 }).purchaseCreated(purchase));
    expect(error).to.be.instanceOf(TributaryProblem);
    expect(error).to.include({ code: 'SERVICE_UNAVAILABLE', attempts: 2, retryable: true });
    expect(error).to.have.property('idempotencyKey', keys()[0]);
    expect(service.api.seen).to.have.length(2);
  });

  it('end with what a proxy answered, when it was not the service', async () => {
    service.api.turns.push((res) => res.writeHead(502).end('<html>'));
    const error = await rejection(service.client().purchaseCreated(purchase, { maxAttempts: 1 }));
    expect(error).to.be.instanceOf(TributaryAnswerError);
    expect(error).to.include({ status: 502, retryable: true });
  });

  it('end with a network error that says why', async () => {
    const client = service.client({ baseUrl: 'http://127.0.0.1:1', maxAttempts: 2 });
    const error = await rejection(client.lookup('x'));
    expect(error).to.be.instanceOf(TributaryNetworkError);
    expect(error).to.include({ timedOut: false, attempts: 2, retryable: true });
    expect((error as Error).message).to.match(/^POST \/token: no answer: /);
    expect((error as Error).cause).to.be.instanceOf(Error);
  });

  it('take at most timeoutMs each', async () => {
    service.api.turns.push(silence);
    const error = await rejection(
      service.client({ timeoutMs: 100, maxAttempts: 1 }).purchaseCreated(purchase),
    );
    expect(error).to.be.instanceOf(TributaryNetworkError);
    expect(error).to.include({ timedOut: true, retryable: true });
  });

  it('take at most deadlineMs together, also in the middle of one', async () => {
    const client = service.client({ deadlineMs: patiently(1_000), timeoutMs: 60_000 });
    await client.purchaseCreated(purchase); // so that it has a token and a connection
    service.api.turns.push(unavailable, silence);
    const startedMs = performance.now();
    const error = await rejection(client.purchaseCreated(purchase));
    expect(performance.now() - startedMs).to.be.within(patiently(1_000) - 10, patiently(4_000));
    expect(error).to.be.instanceOf(TributaryNetworkError);
    expect(error).to.include({ timedOut: true, attempts: 2 });
  });

  it('are given up at once when the service asks for more than is left', async () => {
    service.api.turns.push(
      problem(503, 'SERVICE_UNAVAILABLE', { headers: { 'retry-after': '60' } }),
    );
    const startedMs = performance.now();
    const error = await rejection(service.client({ deadlineMs: 50_000 }).purchaseCreated(purchase));
    expect(performance.now() - startedMs).to.be.below(Math.min(patiently(2_000), 30_000));
    expect(error).to.be.instanceOf(TributaryProblem).and.include({ retryAfterMs: 60_000 });
  });

  for (const [form, value] of [
    ['seconds', () => '1'],
    // A date has whole seconds: up to one less remains of two.
    ['a date', () => new Date(Date.now() + 2_000).toUTCString()],
  ] as const) {
    it(`wait for Retry-After in ${form}`, async () => {
      service.api.turns.push((res, seen) => {
        const headers = { 'retry-after': value() };
        problem(503, 'SERVICE_UNAVAILABLE', { headers })(res, seen);
      });
      const startedMs = performance.now();
      await service.client().purchaseCreated(purchase);
      expect(performance.now() - startedMs).to.be.within(990, patiently(4_000));
    });
  }

  describe("the caller's signal", () => {
    const reason = new Error('the user left');

    it('ends a call before it begins', async () => {
      const signal = AbortSignal.abort(reason);
      expect(await rejection(service.client().purchaseCreated(purchase, { signal }))).to.equal(
        reason,
      );
      expect(service.api.seen).to.have.length(0);
    });

    it('ends a request', async () => {
      const controller = new AbortController();
      service.api.turns.push(() => controller.abort(reason));
      const call = service.client().purchaseCreated(purchase, { signal: controller.signal });
      expect(await rejection(call)).to.equal(reason);
    });

    it('ends a pause', async () => {
      const controller = new AbortController();
      service.api.turns.push((res, seen) => {
        const headers = { 'retry-after': '30' };
        problem(503, 'SERVICE_UNAVAILABLE', { headers })(res, seen);
        setTimeout(() => controller.abort(reason), 100);
      });
      const startedMs = performance.now();
      const call = service.client().purchaseCreated(purchase, { signal: controller.signal });
      expect(await rejection(call)).to.equal(reason);
      expect(performance.now() - startedMs).to.be.below(25_000);
    });
  });
});
