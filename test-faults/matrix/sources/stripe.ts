import { setTimeout as delay } from 'node:timers/promises';
import { patiently } from '@tributary/testkit/patience';
import type { TaxPolicy } from '@tributary/contracts/processor-record';
import type { StripeEvent } from '@tributary/testkit/stripe/account-state';
import { signStripe } from '@tributary/testkit/stripe/deliver-events';
import type { FakeStripe } from '@tributary/testkit/stripe/fake-stripe';
import { createAdminClient } from '../../../deploy/demo/admin-client.ts';
import type { Random } from '../../chain/random.ts';
import { expectedFacts } from '../../processor/expected-facts.ts';
import { someLife, type StripeLife } from '../../processor/some-lives.ts';
import type { Client } from '../client.ts';
import type { SentRequest } from '../evidence.ts';
import type { Customer } from '../history.ts';
import type { Reporter, SourceSetUp } from './source.ts';

/** Lives that are told at a time, and how long each waits between two events, at most. */
const atATime = 5;
const longestPauseMs = 400;
/** Stripe tries for days; here nobody waits that long once traffic has ended. */
const patienceMs = patiently(60_000);
/** Longer ago than a signature is taken. */
const oldSeconds = 301;

type Connection = {
  tenantId: string;
  customer: Customer;
  taxPolicy: TaxPolicy;
  /** Where Stripe's events are sent to, at the edge. */
  path: string;
  signingSecret: string;
};

/**
 * Every customer has connected Stripe. What happens there to their customers' subscriptions is told
 * in order or in none, some of it twice or twice at once; some events come first with a signature
 * that is wrong or 301 seconds old, and of some users nothing else ever comes.
 */
export async function setUpStripe(
  { demo, customers, personalCanary }: SourceSetUp,
  stripe: FakeStripe,
): Promise<Reporter> {
  const admin = createAdminClient({ baseUrl: demo.baseUrl, token: demo.adminToken });
  const connections: Connection[] = [];
  for (const [n, customer] of customers.entries()) {
    const { tenantId } = customer;
    const taxPolicy: TaxPolicy = n % 2 === 0 ? 'gross' : 'net';
    const input = { apiKey: stripe.apiKey, taxPolicy };
    const at = `/api/tenants/${tenantId}/processor-connections`;
    const made = await admin.call<{ endpointId: string; webhookUrl: string }>('POST', at, input);
    const endpoint = stripe.account.endpoints().find(({ id }) => id === made.endpointId)!;
    const path = new URL(made.webhookUrl).pathname;
    connections.push({ tenantId, customer, taxPolicy, path, signingSecret: endpoint.secret });
  }
  const told: { life: StripeLife; connection: Connection }[] = [];
  return {
    secrets: [stripe.apiKey, ...connections.map(({ signingSecret }) => signingSecret)],

    async report({ client, random, goesOn }) {
      const teller = createTeller({ client, random, goesOn, personalCanary });
      let lives = 0;
      const tellOnAndOn = async () => {
        while (goesOn()) {
          const number = ++lives;
          const connection = connections[number % connections.length]!;
          const begun = beginLife(stripe, connection, random, number);
          const isForged = random.happens(0.1);
          if (!isForged) told.push({ life: begun.life, connection });
          await teller.tell(connection, begun, isForged);
        }
      };
      await Promise.all(Array.from({ length: atATime }, tellOnAndOn));
    },

    facts: () =>
      told.flatMap(({ life, connection: { tenantId, taxPolicy } }) => {
        const { refundsOf } = stripe.account;
        return [...expectedFacts(life, { tenantId, taxPolicy, refundsOf }).values()];
      }),
  };
}

type Begun = ReturnType<typeof someLife>;

function beginLife(
  { account }: FakeStripe,
  { tenantId, customer }: Connection,
  random: Random,
  number: number,
): Begun {
  const { codes, lateCode } = customer;
  const ucc = random.happens(0.1) ? lateCode : codes[random.below(codes.length)]!;
  const who = { ucc, newUserId: `mx.${tenantId}.s${number}` };
  return someLife(account, random.below(1_000_000), `s${number}`, who);
}

function createTeller(options: {
  client: Client;
  random: Random;
  goesOn: () => boolean;
  personalCanary: string;
}) {
  const { client, random, goesOn, personalCanary } = options;

  /** What has happened is told to its end, also when traffic ends meanwhile. */
  async function tell(connection: Connection, begun: Begun, isForged: boolean): Promise<void> {
    const { life, steps } = begun;
    if (random.happens(0.5)) await reportSignup(connection, life);
    if (isForged) {
      for (const event of [...steps].flat()) {
        await send(connection, event, random.happens(0.5) ? 'wrong' : 'old');
      }
      return;
    }
    const isInOrder = random.happens(0.4);
    const parts = isInOrder ? steps : [inNoOrder([...steps].flat())];
    for (const events of parts) {
      for (const event of events) await deliver(connection, event);
      if (!goesOn()) return;
    }
  }

  function inNoOrder(events: readonly StripeEvent[]): StripeEvent[] {
    return random.shuffle([...events, ...events.filter(() => random.happens(0.25))]);
  }

  /** Some come to be known by the customer's backend, too. */
  async function reportSignup({ tenantId }: Connection, life: StripeLife): Promise<void> {
    const { ucc, newUserId: id } = life;
    const body = JSON.stringify({ ucc, occurredAt: new Date().toISOString(), newUser: { id } });
    await client.untilKnown(
      () => client.submit({ tenantId, path: '/v2/events/signup-created', body }),
      goesOn,
    );
  }

  async function deliver(connection: Connection, event: StripeEvent): Promise<void> {
    await delay(random.below(longestPauseMs));
    if (random.happens(0.1)) await send(connection, event, 'wrong');
    if (random.happens(0.1)) await send(connection, event, 'old');
    const copies = random.happens(0.15) ? 2 : 1;
    await Promise.all(Array.from({ length: copies }, () => untilAccepted(connection, event)));
  }

  async function untilAccepted(connection: Connection, event: StripeEvent): Promise<void> {
    let endedAt: number | undefined;
    for (let waitMs = 200; ; waitMs = Math.min(2_000, waitMs * 2)) {
      const { outcome } = await send(connection, event, 'right');
      if (!goesOn()) endedAt ??= performance.now();
      const isLate = endedAt !== undefined && performance.now() - endedAt > patienceMs;
      if (outcome === 'ok' || isLate) return;
      await delay(waitMs);
    }
  }

  function send(
    { tenantId, path, signingSecret }: Connection,
    event: StripeEvent,
    proof: NonNullable<SentRequest['proof']>,
  ): Promise<SentRequest> {
    const body = withPerson(event.body('new'), personalCanary);
    const secrets = [proof === 'wrong' ? `${signingSecret}x` : signingSecret];
    const now = Math.floor(Date.now() / 1_000);
    const timestamp = proof === 'old' ? now - oldSeconds : now;
    return client.ask({
      ...{ by: 'stripe', tenantId, method: 'POST', path, body, proof },
      headers: { 'stripe-signature': signStripe(body, { secrets, timestamp }) },
    });
  }

  return { tell };
}

/** Stripe names who pays in its objects; nothing of it is of use here. */
function withPerson(body: string, canary: string): string {
  type Event = { data: { object: object } };
  const event = JSON.parse(body) as Event;
  const [email, name] = [`${canary}@people.example`, `${canary} Payer`];
  const person = { customer_email: email, receipt_email: email, customer_name: name };
  const customer_details = { email, name };
  const billing_details = { email, name };
  const object = { ...event.data.object, ...person, customer_details, billing_details };
  return JSON.stringify({ ...event, data: { ...event.data, object } });
}
