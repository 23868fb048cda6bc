import { codecOfTopic } from '@tributary/contracts/codec-of-topic';
import { type Topic, topicName, topicSettings, topics } from '@tributary/contracts/topics';

const holds: Record<Topic, string> = {
  events: 'Accepted facts, without e-mail and name.',
  people: 'E-mail and name of persons, the only place in Kafka that has them. A null value erases.',
  codes: 'Referral codes (UCC): issued, disabled.',
  catalog:
    'What operators set up: tenants, access keys, secrets, campaign revisions, webhooks, erasures.',
  attributions: 'Decisions about events, and their later versions.',
  rewards: 'Entitlements, and their changes.',
  issuances: 'What was granted, released or withheld, as facts that are never edited.',
  deliveries:
    'Attempts to deliver a webhook and their outcome, expiries, and resends by operators.',
  processor:
    'What the payment processor reported and was asked, before facts are made of it. Without e-mails and names.',
  deadLetters: 'Records that break their own contract, with origin and reason.',
  audit: 'Who did what: entries of the audit list, where it is set to be written here.',
  refusals:
    'Requests that were refused, without anything of their bodies. Nothing follows from it.',
};

const kafkaBinding = '0.5.0';

/**
 * All topics as an AsyncAPI 3.0 document, from the same schemas that the services read and write
 * by. Names are those of a deployment without prefix and with the first generation of the folds.
 */
export function buildAsyncApi() {
  const names = Object.keys(topics) as Topic[];
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Tributary event log',
      version: '1.0.0',
      description:
        'Every topic of the system. Values are JSON in UTF-8 and carry `schemaVersion`; records ' +
        'of an entity carry its `version`, and a reader ignores a version not above the one it ' +
        'has. A deployment may put a prefix before all names; a later generation of the folds ' +
        'ends its derived topics in `.g<n>`.',
    },
    defaultContentType: 'application/json',
    servers: {
      deployment: {
        host: '{brokers}',
        protocol: 'kafka',
        variables: { brokers: { description: 'The brokers of the deployment, host:port.' } },
      },
    },
    channels: Object.fromEntries(names.map((topic) => [topic, channelOf(topic)])),
    components: {
      messages: Object.fromEntries(
        names.map((topic) => [codecOfTopic[topic].name, message(topic)]),
      ),
      schemas: Object.fromEntries(
        names.map((topic) => [codecOfTopic[topic].name, plainJson(codecOfTopic[topic].schema)]),
      ),
    },
  };
}

function channelOf(topic: Topic) {
  const { name } = codecOfTopic[topic];
  const address = topicName(topic, { prefix: '', generation: 1 });
  return {
    address,
    description: holds[topic],
    messages: { [name]: { $ref: `#/components/messages/${name}` } },
    bindings: {
      kafka: {
        topic: address,
        partitions: topics[topic].partitions,
        replicas: 3,
        topicConfiguration: topicConfiguration(topic),
        bindingVersion: kafkaBinding,
      },
    },
    'x-kept': topics[topic].kept,
    'x-generational': topics[topic].generational,
  };
}

/** The binding wants numbers as numbers and the clean-up policy as a list. */
function topicConfiguration(topic: Topic): Record<string, string | number | string[]> {
  const settings = { ...topicSettings(topic), 'min.insync.replicas': '2' };
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]): [string, string | number | string[]] => {
      if (name === 'cleanup.policy') return [name, value.split(',')];
      return [name, /^-?\d+$/.test(value) ? Number(value) : value];
    }),
  );
}

function message(topic: Topic) {
  const { name, schemaVersion } = codecOfTopic[topic];
  return {
    name,
    title: `${name}, schema version ${schemaVersion}`,
    contentType: 'application/json',
    payload: { $ref: `#/components/schemas/${name}` },
    bindings: {
      kafka: {
        key: { type: 'string', description: topics[topic].key },
        bindingVersion: kafkaBinding,
      },
    },
  };
}

/**
 * Without the symbols that TypeBox keeps on a schema. Each form of a record that has several is
 * named after what tells them apart.
 */
function plainJson(schema: unknown): object {
  const plain = JSON.parse(JSON.stringify(schema)) as { anyOf?: Form[] };
  if (plain.anyOf === undefined) return plain;
  return { ...plain, anyOf: plain.anyOf.map((form) => ({ title: titleOf(form), ...form })) };
}

type Tag = { const?: unknown; anyOf?: { const?: unknown }[] };
type Form = { properties: Record<string, Tag> };
const tags = ['eventType', 'entity', 'type', 'outcome'];

function titleOf({ properties }: Form): string | undefined {
  const texts = tags.map((tag) => tagNames(properties[tag]));
  return texts.find((text) => text !== '');
}

/** The word of a tag, or those that a form has in common: `released or withheld`. */
function tagNames(tag: Tag | undefined): string {
  const constants = tag?.anyOf?.map((choice) => choice.const) ?? [tag?.const];
  return constants.filter((word) => typeof word === 'string').join(' or ');
}
