import type { KafkaConnection } from './kafka.ts';
import { isGroupRefused } from './missing-rights.ts';

/**
 * What the brokers refused to a principal, as a sentence; undefined when an error is none of that.
 * They say whether it was the group or a topic, not which topic.
 */
export async function refusalOf(
  error: unknown,
  asked: { kafka: KafkaConnection; groupId: string; topics: readonly string[] },
): Promise<string | undefined> {
  const { kafka, groupId, topics } = asked;
  const { principal } = kafka;
  const noGroup = `${principal} lacks Read on group ${groupId}`;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { type } = cause as { type?: unknown };
    if (type === 'GROUP_AUTHORIZATION_FAILED') return noGroup;
    // That is all that kafkajs says when it may not see the group.
    if (cause.name === 'KafkaJSGroupCoordinatorNotFound') {
      return (await isGroupRefused(kafka, groupId).catch(() => false)) ? noGroup : undefined;
    }
    if (type === 'TOPIC_AUTHORIZATION_FAILED') {
      return `${principal} lacks Read on a topic of these: ${topics.join(', ')}`;
    }
  }
  return undefined;
}
