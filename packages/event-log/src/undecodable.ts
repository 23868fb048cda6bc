import type kafkajs from 'kafkajs';

/**
 * Why a batch of the log cannot be decoded, of the one message that the patched client gives in
 * its place (decision 35): its bytes were damaged, or it is compressed in a way that this process
 * cannot undo. Undefined of any other message.
 */
export function whyUndecodable(message: kafkajs.KafkaMessage | undefined): string | undefined {
  const { undecodable, batchContext } = (message ?? {}) as Partial<Stand>;
  if (!undecodable) return undefined;
  const { firstOffset = '?' } = batchContext ?? {};
  return `offsets ${firstOffset} to ${message!.offset} cannot be decoded: ${undecodable.message}`;
}

type Stand = { undecodable: Error; batchContext: { firstOffset: string } };
