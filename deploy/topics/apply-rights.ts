import {
  aclsOf,
  aclText,
  type KafkaAcl,
  type KafkaPrincipal,
  kafkaPrincipals,
} from '../../packages/contracts/src/topic-rights.ts';
import { type Topic, topicName, topics } from '../../packages/contracts/src/topics.ts';
import type { KafkaConnection } from '../../packages/event-log/src/kafka.ts';
import {
  addAcls,
  type GivenAcl,
  type OtherAcl,
  readAcls,
  removeAcls,
} from '../../packages/event-log/src/kafka-acls.ts';
import {
  listScramUsers,
  type ScramMechanism,
  setScramPasswords,
} from '../../packages/event-log/src/scram-users.ts';

/** How the principals of one deployment are called, and the prefix of its topics. */
export type Naming = { users: string; topics: string };

export const defaultUsers = 'tributary-';

/** Deployments that share brokers differ in the prefix of their topics, and so do their users. */
export function usersOf(topicPrefix: string): string {
  return `${topicPrefix}${defaultUsers}`;
}

export function userOf(principal: KafkaPrincipal, naming: Pick<Naming, 'users'>): string {
  return `${naming.users}${principal}`;
}

/** What the brokers have and the table does not say, and the other way round. */
export type RightsReport = {
  usersMissing: string[];
  missing: GivenAcl[];
  /** More than the table gives, at topics of this deployment that are named in its way. */
  tooMuch: GivenAcl[];
  /** Too much as well, but maybe somebody's: of groups, and of topics that are not named so. */
  besides: GivenAcl[];
  /** Permissions of another form, which nothing here makes or takes away. */
  others: OtherAcl[];
};

export function givenAcls(naming: Naming): GivenAcl[] {
  return kafkaPrincipals.flatMap((principal) =>
    aclsOf(principal, naming.topics).map((acl) => ({
      ...acl,
      principal: `User:${userOf(principal, naming)}`,
    })),
  );
}

export async function checkRights(kafka: KafkaConnection, naming: Naming): Promise<RightsReport> {
  const wanted = givenAcls(naming);
  const principals = new Set(wanted.map(({ principal }) => principal));
  const [users, { ours, others }] = await Promise.all([
    listScramUsers(kafka),
    readAcls(kafka, principals),
  ]);
  const known = new Set(users.map(({ name }) => `User:${name}`));
  const more = lacking(ours, wanted);
  return {
    usersMissing: [...principals].filter((principal) => !known.has(principal)),
    missing: lacking(wanted, ours),
    tooMuch: more.filter((acl) => isOfTable(acl, naming)),
    besides: more.filter((acl) => !isOfTable(acl, naming)),
    others,
  };
}

/**
 * Gives the principals these passwords, and makes the brokers' permissions those of the table. What
 * is too much goes last, so that nobody who works is stopped; what stands besides, with `prune`.
 */
export async function applyRights(
  kafka: KafkaConnection,
  naming: Naming,
  passwords: { mechanism: ScramMechanism; of: Partial<Record<KafkaPrincipal, string>> },
  { prune = false }: { prune?: boolean } = {},
): Promise<RightsReport> {
  const { mechanism, of } = passwords;
  const users = kafkaPrincipals.flatMap((principal) => {
    const password = of[principal];
    return password === undefined ? [] : [{ name: userOf(principal, naming), mechanism, password }];
  });
  await setScramPasswords(kafka, users);
  const report = await checkRights(kafka, naming);
  await addAcls(kafka, report.missing);
  const { tooMuch, besides, ...others } = report;
  const gone = prune ? [...tooMuch, ...besides] : tooMuch;
  await removeAcls(kafka, gone);
  return { ...others, tooMuch: gone, besides: prune ? [] : besides };
}

/** It names a topic of this deployment in the way of the table. */
function isOfTable({ resource, name, pattern }: KafkaAcl, { topics: prefix }: Naming): boolean {
  if (resource !== 'topic') return false;
  return (Object.keys(topics) as Topic[]).some((topic) => {
    const first = topicName(topic, { prefix, generation: 1 });
    if (pattern === 'literal') return name === first;
    return topics[topic].generational && name === `${first}.g`;
  });
}

function lacking(wanted: readonly GivenAcl[], found: readonly GivenAcl[]): GivenAcl[] {
  const known = new Set(found.map(nameOf));
  return wanted.filter((acl) => !known.has(nameOf(acl)));
}

function nameOf(acl: KafkaAcl & { principal: string }): string {
  return `${acl.principal} ${acl.resource} ${acl.pattern} ${aclText(acl)}`;
}
