/**
 * What the brokers refused to a principal, as a sentence; undefined when an error is none of that.
 * They say whether it was the group or a topic, not which topic.
 */
export function refusalOf(
  error: unknown,
  asked: { principal: string; groupId: string; topics: readonly string[] },
): string | undefined {
  const { principal, groupId, topics } = asked;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { type } = cause as { type?: unknown };
    if (type === 'GROUP_AUTHORIZATION_FAILED') return `${principal} lacks Read on group ${groupId}`;
    if (type === 'TOPIC_AUTHORIZATION_FAILED') {
      return `${principal} lacks Read on a topic of these: ${topics.join(', ')}`;
    }
  }
  return undefined;
}
