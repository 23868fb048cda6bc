import { setTimeout as delay } from 'node:timers/promises';
import kafkajs from 'kafkajs';
import type { KafkaConnection } from './kafka.ts';
import { withAdmin } from './with-admin.ts';

/**
 * The consumer groups that have members now and read one of these topics, by name. A group whose
 * members are just joining does not tell what they read: it is asked again for a minute, and then
 * counts as one that does.
 */
export async function groupsReading(
  kafka: KafkaConnection,
  topics: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<string[]> {
  return withAdmin(kafka, async (admin) => {
    const { groups } = await admin.listGroups();
    const found: string[] = [];
    let asked = groups
      .filter(({ protocolType }) => protocolType === 'consumer')
      .map(({ groupId }) => groupId);
    for (const deadline = performance.now() + undecidedMs; asked.length > 0;) {
      const described = await describe(admin, asked);
      found.push(...named(described.filter((group) => reads(group, topics) === true)));
      asked = named(described.filter((group) => reads(group, topics) === undefined));
      if (performance.now() > deadline) return [...found, ...asked].sort();
      if (asked.length > 0) await delay(100, undefined, { signal });
    }
    return found.sort();
  });
}

async function describe(
  admin: kafkajs.Admin,
  groupIds: readonly string[],
): Promise<kafkajs.GroupDescription[]> {
  const found: kafkajs.GroupDescription[] = [];
  for (let from = 0; from < groupIds.length; from += chunk) {
    found.push(...(await admin.describeGroups(groupIds.slice(from, from + chunk))).groups);
  }
  return found;
}

const chunk = 100;

/** A member that does not come back holds its group up for its rebalance timeout. */
const undecidedMs = 60_000;

function named(groups: readonly kafkajs.GroupDescription[]): string[] {
  return groups.map(({ groupId }) => groupId);
}

/** Undefined: not known yet. */
function reads(
  { state, members }: kafkajs.GroupDescription,
  topics: ReadonlySet<string>,
): boolean | undefined {
  if (members.length === 0) return state === 'PreparingRebalance' ? undefined : false;
  if (members.some(({ memberMetadata }) => memberMetadata.length === 0)) return undefined;
  return members.some(({ memberMetadata }) =>
    kafkajs.AssignerProtocol.MemberMetadata.decode(memberMetadata)?.topics.some((topic) =>
      topics.has(topic),
    ),
  );
}
