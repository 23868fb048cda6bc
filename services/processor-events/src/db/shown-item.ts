import type { Static } from '@sinclair/typebox';
import type {
  ConnectionStatus as DeclaredStatus,
  ItemDetail,
  ProcessorItem,
} from '@tributary/contracts/admin/processor-answers';

/** What people see of an item, as the admin API declares it. */
export type ShownItem = Static<typeof ProcessorItem>;

type Detail = Static<typeof ItemDetail>;
export type ShownProcessorEvent = Detail['events'][number];
/** A fact that was made of an item; the members of the payment are there as the record has them. */
export type ShownFact = Detail['facts'][number];
export type ShownNeed = Detail['needs'][number];

export type ConnectionStatus = Static<typeof DeclaredStatus>;
