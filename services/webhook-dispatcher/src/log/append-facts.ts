import { deliveryCodec, type DeliveryFact } from '@tributary/contracts/delivery-record';
import { recordKey } from '@tributary/contracts/topics';
import type { Appender, Entry } from '@tributary/event-log/appender';

/**
 * A fact as it goes on the log. Those of one delivery share a partition, so they are read in the
 * order in which they were told. Throws when it breaks its contract.
 */
export function entryOf(deliveriesTopic: string, fact: DeliveryFact): Entry {
  return {
    topic: deliveriesTopic,
    key: recordKey(fact.tenantId, fact.webhookEventId),
    value: deliveryCodec.encode(fact),
  };
}

/** @throws {AppendRefused} then each of them is on the log or not; telling them again is safe. */
export async function appendFacts(
  appender: Pick<Appender, 'append'>,
  deliveriesTopic: string,
  facts: readonly DeliveryFact[],
): Promise<void> {
  await appender.append(facts.map((fact) => entryOf(deliveriesTopic, fact)));
}
