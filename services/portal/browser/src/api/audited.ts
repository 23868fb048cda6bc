import type { OperationName } from '@tributary/admin-client/create-admin-client';

/**
 * Reads that the audit log notes, since they show what is personal: they are asked when a person
 * looks, and not again and again while the page is open.
 */
export const audited: ReadonlySet<OperationName> = new Set<OperationName>([
  ...(['explain', 'explainAnywhere', 'listOperators', 'listPeople', 'listUsers'] as const),
  ...(['showDeadLetter', 'showDelivery'] as const),
]);
