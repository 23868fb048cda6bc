import { setTimeout as delay } from 'node:timers/promises';
import kafkajs from 'kafkajs';
import type { KafkaConnection } from './kafka.ts';
import { withAdmin } from './with-admin.ts';

/**
 * Takes topics with all their records off the brokers, and waits until they are gone. Those that
 * are not there are passed over, so it may be repeated after a crash.
 *
 * @throws when one is still listed after `timeoutMs`.
 */
export async function deleteTopics(
  kafka: KafkaConnection,
  topics: readonly string[],
  timeoutMs = 30_000,
): Promise<void> {
  return withAdmin(kafka, async (admin) => {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const listed = new Set(await admin.listTopics());
      const left = topics.filter((topic) => listed.has(topic));
      if (left.length === 0) return;
      if (performance.now() > deadline) {
        throw new Error(`topics are still on the brokers: ${left.join(', ')}`);
      }
      await admin.deleteTopics({ topics: left }).catch(unlessUnknown);
      await delay(100);
    }
  });
}

/** How many consumers are in these groups now, by group; one that does not exist has none. */
export async function countMembers(
  kafka: KafkaConnection,
  groups: readonly string[],
): Promise<Map<string, number>> {
  if (groups.length === 0) return new Map();
  return withAdmin(kafka, async (admin) => {
    const described = await admin.describeGroups([...groups]);
    return new Map(described.groups.map(({ groupId, members }) => [groupId, members.length]));
  });
}

/** Those of these groups that there are, with or without members. */
export async function listGroups(
  kafka: KafkaConnection,
  groups: readonly string[],
): Promise<string[]> {
  return withAdmin(kafka, (admin) => presentOf(admin, groups));
}

/**
 * Removes consumer groups with their offsets; missing ones are passed over.
 *
 * @throws when one has members: a consumer is running.
 */
export async function deleteGroups(
  kafka: KafkaConnection,
  groups: readonly string[],
): Promise<void> {
  return withAdmin(kafka, async (admin) => {
    const present = await presentOf(admin, groups);
    if (present.length === 0) return;
    await admin.deleteGroups(present).catch((error: unknown) => {
      const failed = error instanceof kafkajs.KafkaJSDeleteGroupsError ? error.groups : undefined;
      if (!failed) throw error;
      const wrong = failed.filter(({ errorCode }) => errorCode !== groupIdNotFound);
      if (wrong.length === 0) return;
      const names = wrong.map(({ groupId }) => groupId).join(', ');
      throw new Error(`groups cannot be removed: ${names}`, { cause: error });
    });
  });
}

async function presentOf(admin: kafkajs.Admin, groups: readonly string[]): Promise<string[]> {
  const { groups: listed } = await admin.listGroups();
  const known = new Set(listed.map(({ groupId }) => groupId));
  return groups.filter((group) => known.has(group));
}

/** Kafka's GROUP_ID_NOT_FOUND. */
const groupIdNotFound = 69;

/** Somebody else was faster; kafkajs wraps what the broker said. */
function unlessUnknown(error: unknown): void {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ((cause as { type?: unknown }).type === 'UNKNOWN_TOPIC_OR_PARTITION') return;
  }
  throw error;
}
