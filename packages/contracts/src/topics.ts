/**
 * Every topic of the system in one table: logical name, how its records are keyed, how it is kept
 * (design 3). Code asks for a topic by its logical name; the wiring turns that into the name on
 * the broker with {@link topicName}.
 */
export const topics = {
  events: {
    name: 'referral.events',
    key: 'tenantId:newUserId',
    kept: 'for-ever',
    generational: false,
    partitions: 96,
  },
  people: {
    name: 'referral.people',
    key: 'tenantId:userId',
    kept: 'compacted',
    generational: false,
    partitions: 96,
    fixed: true,
  },
  codes: {
    name: 'referral.codes',
    key: 'tenantId:ucc',
    kept: 'for-ever',
    generational: false,
    partitions: 12,
  },
  catalog: {
    name: 'referral.catalog',
    key: 'tenantId',
    kept: 'for-ever',
    generational: false,
    partitions: 12,
  },
  attributions: {
    name: 'referral.attributions',
    key: 'tenantId:referrerId, or tenantId:newUserId without one',
    kept: 'for-ever',
    generational: true,
    partitions: 96,
  },
  rewards: {
    name: 'referral.rewards',
    key: 'tenantId:recipientId',
    kept: 'for-ever',
    generational: true,
    partitions: 96,
  },
  issuances: {
    name: 'referral.issuances',
    key: 'tenantId:recipientId',
    kept: 'for-ever',
    generational: false,
    partitions: 96,
  },
  deliveries: {
    name: 'referral.deliveries',
    key: 'tenantId:eventId',
    kept: 'for-ever',
    generational: false,
    partitions: 96,
    fixed: true,
  },
  processor: {
    name: 'referral.processor',
    key: 'tenantId:customerId',
    kept: 'for-ever',
    generational: false,
    partitions: 96,
    fixed: true,
  },
  deadLetters: {
    name: 'referral.dead-letters',
    key: 'origin key',
    kept: '90-days',
    generational: false,
    partitions: 12,
  },
  audit: {
    name: 'referral.audit',
    key: ':audit:tenantId, or :deployment',
    kept: '90-days',
    generational: false,
    partitions: 12,
  },
  refusals: {
    name: 'referral.refusals',
    key: 'tenantId',
    kept: '7-days',
    generational: false,
    partitions: 12,
  },
} as const satisfies Record<string, TopicDefinition>;

export type Topic = keyof typeof topics;

type TopicDefinition = {
  name: string;
  key: string;
  kept: 'for-ever' | 'compacted' | '90-days' | '7-days';
  /** True for topics derived by a fold: each generation of the fold writes its own. */
  generational: boolean;
  /** How many it is made with, unless the deployment says otherwise (decision 91). */
  partitions: number;
  /** It must not be given more later: what was said of a key has to stay in one partition. */
  fixed?: true;
};

/** Where a deployment keeps its topics: an optional prefix, and the generation of the folds. */
export type TopicWiring = { prefix: string; generation: number };

/** What a small deployment has, such as that of `npm start`. */
export const topicPartitions = 12;

/** How many partitions each topic is made with. */
export type PartitionCounts = Readonly<Record<Topic, number>>;

export const defaultPartitions: PartitionCounts = countsOf((topic) => topics[topic].partitions);

/**
 * `24`: all topics have 24. `events=48,rewards=24`: those have as many, the others their defaults,
 * as all have without a text.
 *
 * @throws with what is wrong with the text.
 */
export function partitionCounts(text = ''): PartitionCounts {
  if (text === '') return defaultPartitions;
  if (isCount(text)) return countsOf(() => Number(text));
  const counts: Record<Topic, number> = { ...defaultPartitions };
  for (const part of text.split(',')) {
    const [name = '', count = '', ...more] = part.trim().split('=');
    if (!Object.hasOwn(topics, name)) {
      throw new Error(`"${name}" is no topic; topics are ${Object.keys(topics).join(', ')}`);
    }
    if (!isCount(count) || more.length > 0) {
      throw new Error(`"${part}" must give ${name} a number from 1 to 1000`);
    }
    counts[name as Topic] = Number(count);
  }
  return counts;
}

function isCount(text: string): boolean {
  return /^[1-9][0-9]{0,3}$/.test(text) && Number(text) <= 1_000;
}

function countsOf(count: (topic: Topic) => number): PartitionCounts {
  const names = Object.keys(topics) as Topic[];
  return Object.fromEntries(names.map((topic) => [topic, count(topic)])) as Record<Topic, number>;
}

/**
 * The name of a topic on the broker. Generation 1 of a derived topic has the plain name, later
 * ones end in `.g<n>`.
 */
export function topicName(topic: Topic, wiring: TopicWiring): string {
  const { name, generational } = topics[topic];
  const suffix = generational && wiring.generation > 1 ? `.g${wiring.generation}` : '';
  return `${wiring.prefix}${name}${suffix}`;
}

/**
 * Which topic has this name on the broker, in any generation; undefined when it is none of ours.
 * The other way round than {@link topicName}.
 */
export function topicOfName(name: string, prefix: string): Topic | undefined {
  if (!name.startsWith(prefix)) return undefined;
  const plain = name.slice(prefix.length);
  const later = /^(.+)\.g([1-9][0-9]*)$/.exec(plain);
  const names = Object.keys(topics) as Topic[];
  return names.find((topic) => {
    const { name: own, generational } = topics[topic];
    return own === plain || (generational && own === later?.[1] && later[2] !== '1');
  });
}

/** The Kafka settings of a topic, as `kafka-configs` spells them. */
export function topicSettings(topic: Topic): Record<string, string> {
  return { ...settingsByKept[topics[topic].kept], ...settingsOfAll };
}

const settingsOfAll: Record<string, string> = {
  'message.timestamp.type': 'LogAppendTime',
  // A replica that lags must never become leader: what it lacks was acknowledged.
  'unclean.leader.election.enable': 'false',
};

const dayMs = 86_400_000;

const settingsByKept: Record<TopicDefinition['kept'], Record<string, string>> = {
  'for-ever': { 'cleanup.policy': 'delete', 'retention.ms': '-1', 'retention.bytes': '-1' },
  '90-days': {
    'cleanup.policy': 'delete',
    'retention.ms': String(90 * dayMs),
    'retention.bytes': '-1',
  },
  // A segment is closed every day: what is in an open one stays, however old it is.
  '7-days': {
    'cleanup.policy': 'delete',
    'retention.ms': String(7 * dayMs),
    'retention.bytes': '-1',
    'segment.ms': String(dayMs),
  },
  // Compaction never touches the active segment, hence the daily roll (design 5).
  compacted: {
    'cleanup.policy': 'compact',
    'segment.ms': String(dayMs),
    'max.compaction.lag.ms': String(dayMs),
  },
};

/** Kafka record key of one entity of one tenant. A tenant id holds no `:`, so it parses back. */
export function recordKey(tenantId: string, entityId?: string): string {
  return entityId === undefined ? tenantId : `${tenantId}:${entityId}`;
}
