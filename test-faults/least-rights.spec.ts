import { randomUUID } from 'node:crypto';
import { decisionCodec } from '@tributary/contracts/decision-record';
import { eventCodec, eventSchemaVersion } from '@tributary/contracts/event-record';
import { type Topic, topicName, topics } from '@tributary/contracts/topics';
import { type KafkaPrincipal, kafkaPrincipals } from '@tributary/contracts/topic-rights';
import { addAcls } from '@tributary/event-log/kafka-acls';
import { createKafka, type KafkaConnection } from '@tributary/event-log/kafka';
import { isGroupRefused } from '@tributary/event-log/missing-rights';
import { setScramPasswords } from '@tributary/event-log/scram-users';
import { silentLogger } from '@tributary/event-log/testing';
import { withAdmin } from '@tributary/event-log/with-admin';
import type { KafkaSettings } from '@tributary/runtime/variables';
import { attackMade } from '@tributary/testkit/attacks';
import { expect } from 'chai';
import { saslOf } from '../deploy/local/server-variables.ts';
import type { Stack } from '../deploy/local/stack.ts';
import { startThrowawayStack } from '../deploy/local/throwaway-stack.ts';
import { createCustomer } from './customer.ts';
import { readLog, textCodec, wiring } from './read-log.ts';

const all = Object.keys(topics) as Topic[];
const without = (list: string) => all.filter((topic) => !list.split(' ').includes(topic));

/** Who may write and read what, written down a second time on purpose. */
const expected: Record<KafkaPrincipal, { writes: string; reads: string }> = {
  'ingest-api': { writes: 'events people deadLetters refusals', reads: 'events codes catalog' },
  'legacy-events': { writes: 'events people refusals', reads: 'catalog' },
  'processor-events': { writes: 'processor events deadLetters', reads: 'processor catalog' },
  attribution: { writes: 'attributions deadLetters', reads: 'events codes catalog attributions' },
  rewards: {
    writes: 'rewards issuances deadLetters',
    reads: 'attributions rewards issuances catalog',
  },
  'webhook-dispatcher': {
    writes: 'deliveries deadLetters',
    reads: 'issuances deliveries catalog',
  },
  replay: { writes: '', reads: 'events codes catalog issuances' },
  widget: {
    writes: 'codes people events deadLetters',
    reads: 'codes people catalog attributions rewards issuances',
  },
  portal: {
    writes: all.join(' '),
    reads: without('processor audit').join(' '),
  },
  topics: { writes: '', reads: '' },
  transfer: { writes: all.join(' '), reads: all.join(' ') },
};

const note = (what: string) => attackMade('principals', `Kafka: ${what}`);

describe('the rights of each principal at the brokers', function () {
  this.timeout(180_000);
  let stack: Stack;
  const connections = new Map<KafkaPrincipal, KafkaConnection>();
  const as = (principal: KafkaPrincipal) => connections.get(principal)!;

  before(async () => {
    stack = await startThrowawayStack();
    for (const principal of kafkaPrincipals) {
      connections.set(principal, connect(stack, saslOf(principal, stack.passwords)));
    }
  });
  after(() => stack?.stop());

  it('refuse every record that is not for it to write: a forged event, decision or grant', async () => {
    const rows = kafkaPrincipals.flatMap((principal) =>
      without(expected[principal].writes).map((topic) => ({ principal, topic })),
    );
    expect(rows).to.have.length(87);
    const answers = await Promise.all(
      rows.map(({ principal, topic }) => refusal(forge(as(principal), topic, stack))),
    );
    const taken = rows.filter((_, row) => answers[row] !== 'TOPIC_AUTHORIZATION_FAILED');
    expect(taken).to.deep.equal([]);
    for (const { principal, topic } of rows) note(`${principal} writes ${topic}`);
  });

  it('refuse every topic that is not for it to read', async () => {
    const rows = kafkaPrincipals.flatMap((principal) =>
      without(expected[principal].reads).map((topic) => ({ principal, topic })),
    );
    expect(rows).to.have.length(83);
    const answers = await inTurns(rows, 8, ({ principal, topic }) =>
      refusal(consume(as(principal), `${groupOf(principal)}-probe-${topic}`, topic)),
    );
    const expectedAnswer = ({ principal }: (typeof rows)[number]) =>
      // The job has no group at all, which kafkajs puts in words of its own.
      principal === 'topics' ? /Failed to find group coordinator/ : /^TOPIC_AUTHORIZATION_FAILED/;
    expect(rows.filter((row, i) => !expectedAnswer(row).test(answers[i]!))).to.deep.equal([]);
    for (const { principal, topic } of rows) note(`${principal} reads ${topic}`);
  });

  it('refuse the groups of others, whose positions would move', async () => {
    const foreign = [
      ['widget', 'rewards'],
      ['rewards', 'attribution'],
      ['attribution', 'webhook-dispatcher'],
      ['replay', 'webhook-dispatcher'],
      ['ingest-api', 'portal-r2'],
    ] as const;
    for (const [principal, group] of foreign) {
      expect(await isGroupRefused(as(principal), group), `${principal}: ${group}`).to.equal(true);
      const answer = await refusal(consume(as(principal), group, 'catalog'));
      expect(answer, `${principal} in ${group}`).not.to.equal('taken');
      note(`${principal} as ${group}`);
    }
  });

  it('refuse topics made, removed or emptied, users and permissions changed', async () => {
    const services = kafkaPrincipals.filter((name) => !['topics', 'transfer'].includes(name));
    for (const principal of services) {
      const kafka = as(principal);
      const tries = {
        make: () =>
          withAdmin(kafka, (admin) => admin.createTopics({ topics: [{ topic: 'mine' }] })),
        remove: () =>
          withAdmin(kafka, (admin) => admin.deleteTopics({ topics: [nameOf('events')] })),
        empty: () =>
          withAdmin(kafka, (admin) =>
            admin.alterConfigs({
              validateOnly: false,
              resources: [{ type: 2, name: nameOf('catalog'), configEntries: forgetful }],
            }),
          ),
        permit: () =>
          addAcls(kafka, [
            {
              principal: kafka.principal,
              resource: 'topic',
              name: nameOf('issuances'),
              pattern: 'literal',
              operation: 'Write',
            },
          ]),
        enter: () =>
          setScramPasswords(kafka, [
            { name: 'tributary-rewards', mechanism: 'scram-sha-512', password: 'mine' },
          ]),
      };
      for (const [name, attempt] of Object.entries(tries)) {
        expect(await refusal(attempt()), `${principal}: ${name}`).to.match(
          /(TOPIC|CLUSTER)_AUTHORIZATION_FAILED|needs ALTER permission/,
        );
        note(`${principal}: ${name}`);
      }
    }
  });

  it('let nobody in without a password, or with that of another', async () => {
    const widget = saslOf('widget', stack.passwords);
    const strangers: [string, KafkaConnection][] = [
      ['without one', connect(stack, undefined)],
      ['a wrong one', connect(stack, { ...widget, password: 'guessed' })],
      ['of another', connect(stack, { ...widget, username: 'tributary-rewards' })],
      [
        'as the administrator',
        connect(stack, { ...widget, mechanism: 'plain', username: 'admin' }),
      ],
    ];
    for (const [name, kafka] of strangers) {
      expect(await refusal(forge(kafka, 'events', stack)), name).to.match(
        /authentication failed|closed|disconnected|ECONNRESET/i,
      );
      note(`a stranger, ${name}`);
    }
  });

  it('leave nothing of all that on the log, and the system at work', async () => {
    for (const topic of all) {
      const records = await readLog(stack.demo, topic, textCodec);
      expect(records, topic).to.satisfy((found: { value: string }[]) =>
        found.every(({ value }) => !value.includes(forgedUser)),
      );
    }
    const before = await readLog(stack.demo, 'attributions', decisionCodec);
    const customer = await createCustomer(stack.demo, stack.demo.tenants[0]!);
    await customer.buy(`honest-${randomUUID()}`);
    expect(customer.accepted.size).to.equal(1);
    expect(before.filter(({ value }) => value.newUserId === forgedUser)).to.deep.equal([]);
  });
});

const forgetful = [{ name: 'retention.ms', value: '1' }];
const nameOf = (topic: Topic) => topicName(topic, wiring);
const groupOf = (principal: KafkaPrincipal) =>
  principal === 'transfer' ? 'tributary-transfer' : principal;
const forgedUser = 'forged-user';

function connect(
  { kafka }: Pick<Stack, 'kafka'>,
  sasl: KafkaSettings['sasl'] | undefined,
): KafkaConnection {
  const settings = { brokers: [kafka.kafkaBrokers], ...(sasl && { sasl }) };
  return createKafka({ settings, clientId: 'forger', logger: silentLogger });
}

/** A purchase that nobody made, by a user of the first tenant; as it is, on any topic. */
async function forge(kafka: KafkaConnection, topic: Topic, { demo }: Pick<Stack, 'demo'>) {
  const { tenantId, referrer } = demo.tenants[0]!;
  const value = eventCodec.encode({
    schemaVersion: eventSchemaVersion,
    eventId: randomUUID(),
    tenantId,
    source: 'v2',
    receivedAt: '2026-01-31T12:00:00.000Z',
    occurredAt: '2026-01-31T12:00:00Z',
    occurredAtSeconds: '1769860800',
    ucc: referrer.ucc,
    newUser: { id: forgedUser },
    eventType: 'purchase-created',
    purchase: { invoiceId: randomUUID(), currency: 'EUR', amount: 4900 },
  });
  const producer = kafka.client.producer({ allowAutoTopicCreation: false, retry: { retries: 0 } });
  try {
    await producer.connect();
    const messages = [{ key: `${tenantId}:${forgedUser}`, value, partition: 0 }];
    await producer.send({ topic: nameOf(topic), messages, acks: -1 });
  } finally {
    await producer.disconnect();
  }
}

/** Rejects with what ends a consumer; resolves when it was handed something, or joined. */
async function consume(kafka: KafkaConnection, groupId: string, topic: Topic): Promise<void> {
  const consumer = kafka.client.consumer({
    groupId,
    retry: { retries: 0, restartOnFailure: () => Promise.resolve(false) },
  });
  const { promise: over, resolve, reject } = Promise.withResolvers<void>();
  over.catch(() => undefined);
  consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error));
  consumer.on(consumer.events.FETCH, () => resolve());
  try {
    await consumer.connect();
    await consumer.subscribe({ topics: [nameOf(topic)], fromBeginning: true });
    await consumer.run({ eachMessage: () => Promise.resolve() });
    await over;
  } finally {
    await consumer.disconnect().catch(() => undefined);
  }
}

/** What the broker answered, as Kafka names it, else in words; `taken` when it did not refuse. */
async function refusal(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
    return 'taken';
  } catch (error) {
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
      const { type, errors } = cause as { type?: string; errors?: { type?: string }[] };
      if (type?.endsWith('AUTHORIZATION_FAILED')) return type;
      const inner = errors?.find((one) => one.type?.endsWith('AUTHORIZATION_FAILED'));
      if (inner) return inner.type!;
    }
    return String(error);
  }
}

/** So many at a time. */
async function inTurns<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += atOnce) {
    results.push(...(await Promise.all(items.slice(from, from + atOnce).map(work))));
  }
  return results;
}
