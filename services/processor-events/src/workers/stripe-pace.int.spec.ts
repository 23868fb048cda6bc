import { stripeApiVersions } from '@tributary/testkit/stripe/api-version';
import { deliverBody, deliverEvent } from '@tributary/testkit/stripe/deliver-events';
import { type FakeStripe, startFakeStripe } from '@tributary/testkit/stripe/fake-stripe';
import { eventually } from '@tributary/testkit/eventually';
import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import {
  type Connection,
  createProcessorWorld,
  type ProcessorWorld,
  type RunningProcessor,
} from '../testing/processor.ts';
import { questionsAtOnce, stripeRatesOf } from '../domain/stripe-rates.ts';
import { defaultFetchSettings } from './fetch-worker.ts';

const secret = 'whsec_theSecretOfTests';

/** Whole exchanges with a Stripe that is as slow as the real one, and as strict. */
describe('questions to Stripe', function () {
  this.timeout(120_000);
  let fake: FakeStripe;
  let world: ProcessorWorld;
  const keys = ['rk_test_of_one_account', 'rk_test_of_another'];

  async function open(options: Parameters<typeof startFakeStripe>[0]): Promise<void> {
    fake = await startFakeStripe({ apiKeys: keys, ...options });
    world = await createProcessorWorld({ stripeUrl: fake.url });
  }
  afterEach(async () => {
    await world.end();
    await fake.stop();
  });

  async function connect(running: RunningProcessor, n = 0): Promise<string> {
    const connection: Connection = {
      ...{ tenantId: `t${n}`, connectionId: `c0nnection0000000${n}`, apiKey: keys[n]! },
      apiVersion: stripeApiVersions.old,
      endpoint: { id: `we_${n}`, secret },
    };
    await world.connect(connection);
    const url = `${running.publicUrl}/processor/stripe/${connection.connectionId}`;
    await eventually(async () => {
      expect((await deliverBody(url, '{}', undefined)).status).to.equal(401);
    });
    return url;
  }

  /** Each of a customer who is to be asked for. */
  async function pay(url: string, count: number): Promise<string[]> {
    const { account } = fake;
    const payOnce = async (_: unknown, n: number) => {
      const { id: customerId } = account.customer({ ucc: 'UCC1', newUserId: `${url}-${n}` });
      const lines = [{ amount: 1_000, priceId: null }];
      const { event, invoice } = account.paidInvoice({ customerId, currency: 'eur', lines });
      const { status } = await deliverEvent(url, event, { shape: 'old', secrets: [secret] });
      expect(status).to.equal(200);
      return invoice.id;
    };
    return Promise.all(Array.from({ length: count }, payOnce));
  }

  const untilFacts = (invoices: readonly string[]) =>
    eventually(
      async () => {
        const facts = (await world.facts()).map((fact) => JSON.stringify(fact));
        const missing = invoices.filter((id) => !facts.some((text) => text.includes(id)));
        expect(missing).to.deep.equal([]);
      },
      { deadlineMs: 90_000 },
    );

  const ratesOf = (percent: number) => {
    const stripeRates = stripeRatesOf({ livemode: false, percent });
    const maxPerConnection = questionsAtOnce(stripeRates);
    const leaseMs = patiently(defaultFetchSettings.leaseMs);
    const fetches = { ...defaultFetchSettings, leaseMs, pollMs: 100, maxPerConnection };
    return { stripeRates, fetches };
  };
  const asked = () => fake.requests({ path: /customers/ });

  it('are as many at once as the rate asks for, however slow each is', async () => {
    await open({ limits: { latencyMs: patiently(1_000) } });
    const running = await world.start(ratesOf(1_000));
    await untilFacts(await pay(await connect(running), 40));
    expect(fake.traffic().mostAtOnce).to.be.greaterThan(8);
    expect(asked()).to.have.length(40);
  });

  it('stay below the limits, so that none is refused, also with several processes', async () => {
    // Three a second together, with room for those that a slow machine sends late; three processes
    // that did not share would send nine.
    await open({ limits: { latencyMs: 200, perSecond: 8, endpointPerSecond: 8 } });
    const running = await world.start(ratesOf(12));
    const others = [await world.start(ratesOf(12)), await world.start(ratesOf(12))];
    await untilFacts(await pay(await connect(running), 40));
    expect(fake.traffic().refused).to.equal(0);
    expect(asked()).to.have.length(40);
    await Promise.all(others.map(({ stop }) => stop()));
  });

  it('wait when Stripe says so, those of that connection only', async () => {
    await open({ limits: { latencyMs: 200 } });
    const limited = fake.fail({ apiKey: keys[0]!, answer: 'rate-limit', times: 1 });
    const running = await world.start(ratesOf(400));
    const [first, second] = [await connect(running, 0), await connect(running, 1)];
    const invoices = await Promise.all([pay(first, 40), pay(second, 40)]);
    await untilFacts(invoices.flat());
    expect(limited.hits()).to.equal(1);
    expect(fake.requests({ apiKey: keys[0]!, path: /customers/ })).to.have.length(41);
    expect(fake.requests({ apiKey: keys[1]!, path: /customers/ })).to.have.length(40);
    expect(world.logged()).to.include('status 429, global-rate');
  });

  it('that wait for their turn are not asked once Stripe has limited the account', async () => {
    await open({ limits: { latencyMs: 200 } });
    const { fetches } = ratesOf(400);
    fake.fail({ answer: 'rate-limit', retryAfterSeconds: 3_600 });
    // One at once, and the next ones in four seconds each.
    const stripeRates = { accountPerSecond: 0.25, endpointPerSecond: 0.25 };
    const running = await world.start({ stripeRates, fetches });
    await pay(await connect(running), 20);
    await eventually(() => expect(asked()).to.have.length(1));
    await eventually(async () => expect(await world.claimed()).to.equal(0), {
      deadlineMs: 30_000,
    });
    expect(asked()).to.have.length(1);
  });
});
