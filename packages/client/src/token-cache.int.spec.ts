import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { TributaryAnswerError, TributaryProblem } from './errors.ts';
import {
  accepted,
  type FakeService,
  issueToken,
  json,
  patiently,
  problem,
  purchase,
  rejection,
  secret,
  startService,
} from './testing/fake-service.ts';

describe('the access token', () => {
  let service: FakeService;
  before(async () => (service = await startService()));
  beforeEach(() => service.reset());
  after(() => service.stop());

  const refused = problem(401, 'UNAUTHORIZED');
  const bearers = () => service.api.seen.map(({ headers }) => headers.authorization);

  it('is asked for with the access key pair (4.3)', async () => {
    expect(await service.client().accessToken()).to.equal('token-1');
    const [seen] = service.token.seen;
    expect(seen).to.include({ method: 'POST', path: '/token' });
    expect(JSON.parse(seen!.body)).to.deep.equal({ accessKeyId: 'ak-1', secretAccessKey: secret });
  });

  it('is kept until it expires (5 rule 3)', async () => {
    const client = service.client();
    for (let i = 0; i < 3; i++) await client.purchaseCreated(purchase);
    expect(service.token.seen).to.have.length(1);
  });

  it('is renewed a little before it expires', async () => {
    // A tenth of 3 s is the margin: after 2.7 s, and not before, the token is not used any more.
    service.token.turns.push(issueToken(1, 3));
    const client = service.client();
    const startedMs = performance.now();
    while (performance.now() - startedMs < patiently(10_000) && service.token.seen.length < 2) {
      await client.accessToken();
      await delay(10);
    }
    expect(performance.now() - startedMs).to.be.within(2_690, patiently(9_000));
  });

  it('is none of the service when no header can carry it', async () => {
    for (const accessToken of ['a\nb', 'a b', '', 'ü']) {
      service.token.turns.push((res) => {
        res.writeHead(201).end(JSON.stringify({ accessToken, expiresIn: 60 }));
      });
      const error = await service
        .client({ maxAttempts: 1 })
        .lookup('c')
        .catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(TributaryAnswerError);
    }
    expect(service.api.seen).to.have.length(0);
  });

  it('is asked for once by fifty calls at the same time', async () => {
    const client = service.client();
    await Promise.all(Array.from({ length: 50 }, () => client.purchaseCreated(purchase)));
    expect(service.token.seen).to.have.length(1);
    expect(service.api.seen).to.have.length(50);
  });

  it('is dropped when it is refused, and the call tried once more with a new one', async () => {
    const client = service.client();
    await client.purchaseCreated(purchase);
    service.api.turns.push(refused);
    expect(await client.purchaseCreated(purchase)).to.deep.equal(accepted);
    expect(bearers()).to.deep.equal(['Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
    const [, first, again] = service.api.seen.map(({ headers }) => headers['idempotency-key']);
    expect(again).to.equal(first);
  });

  it('is renewed once for twenty calls whose token is refused together', async () => {
    const client = service.client();
    await client.accessToken();
    service.api.turns.push(...Array.from({ length: 20 }, () => refused));
    await Promise.all(Array.from({ length: 20 }, () => client.purchaseCreated(purchase)));
    expect(service.token.seen).to.have.length(2);
  });

  it('stays when an older one is refused', async () => {
    const client = service.client();
    await client.accessToken();
    let refuseLater: (() => void) | undefined;
    service.api.turns.push((res, seen) => (refuseLater = () => refused(res, seen)), refused);
    const slow = client.purchaseCreated(purchase);
    await eventually(() => refuseLater !== undefined);
    await client.purchaseCreated(purchase); // fetches the second token
    refuseLater!();
    await slow;
    expect(service.token.seen).to.have.length(2);
    expect(bearers().at(-1)).to.equal('Bearer token-2');
  });

  it('is not renewed twice by one call, not in a later attempt either', async () => {
    service.api.turns.push(refused, problem(503, 'SERVICE_UNAVAILABLE'), refused);
    const error = await rejection(service.client().purchaseCreated(purchase));
    expect(error).to.be.instanceOf(TributaryProblem).and.include({ code: 'UNAUTHORIZED' });
    expect(service.api.seen).to.have.length(3);
  });

  it('is not renewed twice when the new one is refused, too', async () => {
    service.api.turns.push(refused, refused, refused);
    const error = await rejection(service.client().purchaseCreated(purchase));
    expect(error).to.be.instanceOf(TributaryProblem);
    expect(error).to.include({
      code: 'UNAUTHORIZED',
      operation: 'POST /v2/events/purchase-created',
    });
    expect(service.api.seen).to.have.length(2);
    expect(service.token.seen).to.have.length(2);
  });

  it('is refused for a wrong pair, which is not tried again (4.3)', async () => {
    service.token.turns.push(refused);
    const error = await rejection(service.client().purchaseCreated(purchase));
    expect(error).to.be.instanceOf(TributaryProblem);
    expect(error).to.include({ code: 'UNAUTHORIZED', operation: 'POST /token' });
    expect(service.token.seen).to.have.length(1);
    expect(service.api.seen).to.have.length(0);
  });

  it('gives each waiting call an error of its own, with its own key', async () => {
    const client = service.client();
    service.token.turns.push(refused);
    const errors = await Promise.all(
      ['k1', 'k2'].map((idempotencyKey) =>
        rejection(client.purchaseCreated(purchase, { idempotencyKey })),
      ),
    );
    expect(service.token.seen).to.have.length(1);
    expect(errors.map((error) => (error as TributaryProblem).idempotencyKey)).to.eql(['k1', 'k2']);
  });

  it("is not lost for others by one caller's abort", async () => {
    const client = service.client();
    const controller = new AbortController();
    service.token.turns.push((res, seen) => {
      controller.abort(new Error('left'));
      setImmediate(() => issueToken(1)(res, seen));
    });
    const left = rejection(client.purchaseCreated(purchase, { signal: controller.signal }));
    const stayed = client.purchaseCreated(purchase);
    expect(await left).to.have.property('message', 'left');
    expect(await stayed).to.deep.equal(accepted);
    expect(service.token.seen).to.have.length(1);
  });

  it('is not taken from an answer that has none', async () => {
    service.token.turns.push(json(201, { token: 'x' }));
    const error = await rejection(service.client().purchaseCreated(purchase));
    expect(error).to.be.instanceOf(TributaryAnswerError).and.include({ operation: 'POST /token' });
  });

  async function eventually(isSo: () => boolean): Promise<void> {
    for (const endMs = performance.now() + patiently(5_000); !isSo(); await delay(5)) {
      if (performance.now() > endMs) throw new Error('it did not become so');
    }
  }
});
