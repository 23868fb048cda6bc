import { randomBytes } from 'node:crypto';

/**
 * A topic prefix that no other spec file has, for `topicName(topic, { prefix, generation })`. It
 * begins as the test runner says, which takes those topics off its Kafka when this process has
 * ended.
 */
export function uniquePrefix(): string {
  return `${process.env['TRIBUTARY_TEST_TOPICS'] ?? 't'}${randomBytes(5).toString('hex')}.`;
}
