import type { KafkaConnection } from './kafka.ts';
import { type Decoder, sendRaw } from './raw-requests.ts';

/** What the brokers say of one topic that was asked for by its name. */
export type TopicAnswer = {
  topic: string;
  /** 0, or why there is no more to say. */
  code: number;
  /** A bit for each operation that the principal may do there. */
  operations: number;
};

export const unknownTopic = 3;
export const notAuthorized = 29;

export async function readTopicAnswers(
  kafka: KafkaConnection,
  topics: readonly string[],
): Promise<TopicAnswer[]> {
  return sendRaw(kafka, {
    name: 'Metadata',
    apiKey: 3,
    apiVersion: 8,
    encode: (encoder) =>
      encoder.writeArray(topics).writeBoolean(false).writeBoolean(false).writeBoolean(true),
    decode(decoder) {
      decoder.readInt32();
      decoder.readArray(skipBroker);
      decoder.readString();
      decoder.readInt32();
      return decoder.readArray(topicAnswer);
    },
  });
}

function skipBroker(decoder: Decoder): void {
  decoder.readInt32();
  decoder.readString();
  decoder.readInt32();
  decoder.readString();
}

function topicAnswer(decoder: Decoder): TopicAnswer {
  const code = decoder.readInt16();
  const topic = decoder.readString();
  decoder.readBoolean();
  decoder.readArray((partition) => {
    partition.readInt16();
    for (let field = 0; field < 3; field += 1) partition.readInt32();
    for (let list = 0; list < 3; list += 1) partition.readArray((item) => item.readInt32());
  });
  return { code, topic, operations: decoder.readInt32() };
}
