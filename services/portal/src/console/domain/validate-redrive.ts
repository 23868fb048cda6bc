import { codecOfTopic } from '@tributary/contracts/codec-of-topic';
import { exactText, fromLetterKey } from '@tributary/contracts/dead-letter-key';
import type { DeadLetterRecord } from '@tributary/contracts/dead-letter-record';
import { type Topic, topicOfName } from '@tributary/contracts/topics';

/** A dead letter as far as it decides whether its record may go back onto its topic. */
export type PutAside = Pick<DeadLetterRecord, 'origin' | 'value'> & {
  cutFromBytes?: number | undefined;
};

export type RedriveValidation =
  | { outcome: 'ready'; topic: Topic; entry: { topic: string; key: string; value: string } }
  /** `why` is a sentence for operators; it names pointers and expectations, never a value. */
  | { outcome: 'refused'; why: string };

/**
 * Whether a record that was put aside can be appended to its topic again, to the byte. It must be
 * whole and keep its contract as it is read today: the record that broke it yesterday for a reader
 * that was too strict, or too old, may pass; one that is still broken would only come back.
 */
export function validateRedrive(
  { origin, value, cutFromBytes }: PutAside,
  prefix: string,
): RedriveValidation {
  const topic = topicOfName(origin.topic, prefix);
  if (topic === undefined) {
    return refused(`${origin.topic} is no topic of this deployment.`);
  }
  if (value === null) {
    return refused(
      'It is about a person: the value of such a record is never kept outside its topic, so there ' +
        'is nothing to append. Report the person again through the API, and discard this.',
    );
  }
  if (cutFromBytes !== undefined) {
    return refused(`Only the first part of its ${cutFromBytes} bytes was kept.`);
  }
  const key = fromLetterKey(origin);
  if (key === undefined) {
    return refused(
      'Its key was not kept byte for byte, and a different key would be a different entity.',
    );
  }
  const bytes = Buffer.from(value, 'base64');
  const text = exactText(bytes);
  if (text === undefined)
    return refused('Its bytes are not valid UTF-8, which every record must be.');

  const codec = codecOfTopic[topic];
  const decoded = codec.decode(bytes);
  switch (decoded.outcome) {
    case 'record':
      return {
        outcome: 'ready',
        topic,
        entry: { topic: origin.topic, key, value: text },
      };
    case 'broken':
      return refused(
        `It still breaks the contract of ${codec.name} records, version ${codec.schemaVersion}: ` +
          `${decoded.detail}.`,
      );
    case 'newer':
      return refused(
        `It has ${codec.name} schemaVersion ${decoded.schemaVersion}, and this system reads up to ` +
          `${codec.schemaVersion}: deploy the version that writes it first.`,
      );
    case 'tombstone':
      return refused('It has no value.');
    default:
      return decoded satisfies never;
  }
}

function refused(why: string): RedriveValidation {
  return { outcome: 'refused', why };
}
