import { type Topic, topicName, topics } from './topics.ts';

/**
 * What a principal may do at the brokers. Whoever is not named here, and whatever is not named of
 * it, is refused: the brokers run with an authorizer that allows nothing by itself.
 */
export type KafkaRights = {
  /** Records of it; of derived topics, of every generation. */
  reads?: readonly Topic[];
  writes?: readonly Topic[];
  /** Only whether it is there and where it ends. */
  sees?: readonly Topic[];
  /** May make it. */
  makes?: readonly Topic[];
  /** May make those of generations after the first. */
  makesLater?: readonly Topic[];
  removes?: readonly Topic[];
  /** Consumer groups whose names begin so. */
  groups?: readonly string[];
  /** Groups of others, whose members and offsets it looks at. */
  seesGroups?: readonly string[];
  removesGroups?: readonly string[];
};

/** Those that every generation has of its own, and whose groups go with it. */
const stages = ['attribution', 'rewards', 'widget', 'portal'] as const;

const all = Object.keys(topics) as Topic[];
const generational = all.filter((topic) => topics[topic].generational);

/**
 * By service or tool. Groups are named after who reads: the lasting one, those of later
 * generations, and those of readers that start anew with every process.
 */
export const topicRights = {
  'ingest-api': {
    reads: ['events', 'codes', 'catalog'],
    writes: ['events', 'people', 'deadLetters', 'refusals'],
    groups: ['ingest-api'],
  },
  'legacy-events': {
    reads: ['catalog'],
    writes: ['events', 'people', 'refusals'],
    groups: ['legacy-events'],
  },
  'processor-events': {
    reads: ['processor', 'catalog'],
    writes: ['processor', 'events', 'deadLetters'],
    groups: ['processor-events'],
  },
  attribution: {
    reads: ['events', 'codes', 'catalog', 'attributions'],
    writes: ['attributions', 'deadLetters'],
    sees: ['issuances'],
    groups: ['attribution'],
  },
  rewards: {
    reads: ['attributions', 'issuances', 'catalog', 'rewards'],
    writes: ['rewards', 'issuances', 'deadLetters'],
    groups: ['rewards'],
  },
  'webhook-dispatcher': {
    reads: ['issuances', 'deliveries', 'catalog'],
    writes: ['deliveries', 'deadLetters'],
    groups: ['webhook-dispatcher'],
  },
  replay: {
    reads: ['events', 'codes', 'catalog', 'issuances'],
    sees: all,
    makesLater: generational,
    removes: generational,
    groups: ['replay'],
    seesGroups: stages,
    removesGroups: stages,
  },
  widget: {
    reads: ['codes', 'people', 'catalog', 'attributions', 'rewards', 'issuances'],
    // A signup that no backend reported is an event of its own.
    writes: ['codes', 'people', 'events', 'deadLetters'],
    groups: ['widget'],
  },
  // Its operators put dead letters back onto the topics that they came from, whichever those are.
  portal: {
    reads: all.filter((topic) => topic !== 'processor' && topic !== 'audit'),
    writes: all,
    groups: ['portal'],
  },
  /** The job before the services: deploy/topics. */
  topics: { makes: all },
  /** `tributary export` and `tributary import`, which makes the topics that are missing. */
  transfer: {
    reads: all,
    writes: all,
    makes: all,
    groups: ['tributary-transfer'],
    seesGroups: [''],
  },
} as const satisfies Record<string, KafkaRights>;

export type KafkaPrincipal = keyof typeof topicRights;

export const kafkaPrincipals = Object.keys(topicRights) as KafkaPrincipal[];

/** The operations of Kafka that rights are made of, as `kafka-acls` spells them. */
export type KafkaOperation = (typeof kafkaOperations)[number];
export const kafkaOperations = [
  'Read',
  'Write',
  'Create',
  'Delete',
  'Describe',
  'DescribeConfigs',
] as const;

/** One permission at the brokers, of one principal from any host. */
export type KafkaAcl = {
  resource: 'topic' | 'group';
  /** `*` is every name. */
  name: string;
  pattern: 'literal' | 'prefixed';
  operation: KafkaOperation;
};

/** What a principal needs at the brokers, for topics with this prefix; each once, in order. */
export function aclsOf(principal: KafkaPrincipal, prefix: string): KafkaAcl[] {
  const rights: KafkaRights = topicRights[principal];
  const { reads = [], writes = [], sees = [], makes = [] } = rights;
  const { makesLater = [], removes = [] } = rights;
  const { groups = [], seesGroups = [], removesGroups = [] } = rights;
  const used = [...new Set([...reads, ...writes, ...sees, ...makes])];
  const ofTopics = [
    ...topicAcls(reads, 'Read', prefix),
    ...topicAcls(writes, 'Write', prefix),
    // Reading and writing include seeing; what a topic is set to is a right of its own.
    ...topicAcls([...sees, ...makes], 'Describe', prefix),
    ...topicAcls(used, 'DescribeConfigs', prefix),
    ...topicAcls(makes, 'Create', prefix),
    ...topicAcls(makesLater, 'Create', prefix, 'later'),
    ...topicAcls(removes, 'Delete', prefix),
  ];
  const ofGroups = [
    ...groupAcls(groups, 'Read'),
    ...groupAcls(seesGroups, 'Describe'),
    ...groupAcls(removesGroups, 'Delete'),
  ];
  const known = new Map([...ofTopics, ...ofGroups].map((acl) => [aclText(acl), acl]));
  return [...known.keys()].sort().map((text) => known.get(text)!);
}

/** `Write on topic referral.events`, `Read on groups rewards*`: one text for each. */
export function aclText({ resource, name, pattern, operation }: KafkaAcl): string {
  return pattern === 'literal'
    ? `${operation} on ${resource} ${name}`
    : `${operation} on ${resource}s ${name}*`;
}

function topicAcls(
  names: readonly Topic[],
  operation: KafkaOperation,
  prefix: string,
  which: 'all' | 'later' = 'all',
): KafkaAcl[] {
  const acl = (name: string, pattern: KafkaAcl['pattern']): KafkaAcl => {
    return { resource: 'topic', name, pattern, operation };
  };
  return names.flatMap((topic) => {
    const name = topicName(topic, { prefix, generation: 1 });
    const first = which === 'all' ? [acl(name, 'literal')] : [];
    return topics[topic].generational ? [...first, acl(`${name}.g`, 'prefixed')] : first;
  });
}

function groupAcls(prefixes: readonly string[], operation: KafkaOperation): KafkaAcl[] {
  return prefixes.map((prefix) =>
    prefix === ''
      ? { resource: 'group', name: '*', pattern: 'literal', operation }
      : { resource: 'group', name: prefix, pattern: 'prefixed', operation },
  );
}
