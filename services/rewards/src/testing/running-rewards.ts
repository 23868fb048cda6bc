import { catalogCodec, type CampaignRevisionRecord } from '@tributary/contracts/catalog-record';
import {
  decisionKey,
  decisionCodec,
  type DecisionRecord,
} from '@tributary/contracts/decision-record';
import {
  issuanceCodec,
  type IssuanceFact,
  type IssuanceRecord,
} from '@tributary/contracts/issuance-record';
import { rewardCodec, type RewardRecord } from '@tributary/contracts/reward-record';
import { recordKey, type Topic, topicName } from '@tributary/contracts/topics';
import type { Codec } from '@tributary/contracts/record';
import { startPatientAppender } from '@tributary/event-log/testing/patient-appender';
import { createKafka } from '@tributary/event-log/kafka';
import { readRecords, withoutCopies } from '@tributary/event-log/testing/read-records';
import { createTopics, topicSpecs } from '@tributary/event-log/topic-admin';
import { createLogger } from '@tributary/runtime/logger';
import { startRewards } from '../app.ts';
import { eventually } from '@tributary/testkit/eventually';

/** What tests present to the internal listener. */
export const internalToken = 'test-internal-token';

const silent = createLogger({ service: 'test', level: 'silent' });

/** Topics of their own on the shared brokers, and ways to write and read them. */
export async function openTopics(brokers: string, prefix: string) {
  const settings = { brokers: brokers.split(',') };
  const kafka = createKafka({ settings, clientId: 'test', logger: silent });
  const wiring = { prefix, generation: 1, replication: 1, minInsync: 1 };
  await eventually(() => createTopics({ kafka, logger: silent, topics: topicSpecs(wiring) }));
  const appender = await startPatientAppender(kafka);

  const read = async <T>(topic: Topic, codec: Codec<T>): Promise<T[]> =>
    withoutCopies(await readRecords(kafka, topicName(topic, wiring), codec));

  const decideIn = (generation: number, ...decisions: DecisionRecord[]) =>
    appender.append(
      decisions.map((decision) => ({
        topic: topicName('attributions', { ...wiring, generation }),
        key: decisionKey(decision),
        value: decisionCodec.encode(decision),
      })),
    );

  return {
    settings,
    wiring,
    decide: (...decisions: DecisionRecord[]) => decideIn(1, ...decisions),
    decideIn,
    /** Its topics, with what attribution decided in the first one. */
    async makeGeneration(generation: number): Promise<void> {
      const specs = topicSpecs({ ...wiring, generation });
      await eventually(() => createTopics({ kafka, logger: silent, topics: specs }));
      await decideIn(generation, ...(await read('attributions', decisionCodec)));
    },
    publish: (revision: CampaignRevisionRecord) =>
      appender.append([
        {
          topic: topicName('catalog', wiring),
          key: recordKey(revision.tenantId),
          value: catalogCodec.encode(revision),
        },
      ]),
    issuances: async (): Promise<IssuanceRecord[]> =>
      (await read('issuances', issuanceCodec)).filter((fact) => fact.type === 'issued'),
    /** Issuances and what operators said. */
    facts: (): Promise<IssuanceFact[]> => read('issuances', issuanceCodec),
    rewards: (): Promise<RewardRecord[]> => read('rewards', rewardCodec),
    close: () => appender.stop(),
  };
}

export type TestTopics = Awaited<ReturnType<typeof openTopics>>;

/** A process of the service, built by the function that production uses. */
export async function runRewards(options: {
  topics: TestTopics;
  url: string;
  schema?: string;
  issuanceSchema?: string;
  releases?: boolean;
}) {
  const { topics, url, schema = 'rewards_g1', issuanceSchema = 'issuance' } = options;
  const stops: (() => Promise<void> | void)[] = [];
  const { adminPort } = await startRewards(
    {
      host: '127.0.0.1',
      adminPort: 0,
      kafka: topics.settings,
      postgres: { url, schema, poolSize: 10 },
      issuanceSchema,
      generationsSchema: 'generations',
      topics: topics.wiring,
      group: `${topics.wiring.prefix}${schema}`,
      releases: options.releases ?? true,
      internalTokens: [internalToken],
    },
    { logger: silent, onStop: (_name, stop) => void stops.push(stop) },
  );
  return {
    adminUrl: `http://127.0.0.1:${adminPort}`,
    async stop(): Promise<void> {
      for (const stop of stops.splice(0).reverse()) await stop();
    },
  };
}
