import { randomBytes } from 'node:crypto';

/** A topic prefix that no other spec file has, for `topicName(topic, { prefix, generation })`. */
export function uniquePrefix(): string {
  return `t${randomBytes(5).toString('hex')}.`;
}
