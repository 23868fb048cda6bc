import type { Payment } from '@tributary/contracts/event-record';

/** As a parameter, of which {@link namesOfJson} makes an array; null where there are none. */
export function namesToJson(payment: Payment | undefined): string | null {
  const names = payment === undefined ? [] : invoiceNamesOf(payment);
  return names.length === 0 ? null : JSON.stringify(names);
}

export const namesOfJson = `case when invoice_names is not null
  then array(select json_array_elements_text(invoice_names)) end`;

/** Everything that a payment calls its invoice; facts that share a name are about one invoice. */
function invoiceNamesOf(payment: Payment): string[] {
  const { invoiceId, aliases = [] } = payment;
  return [...new Set([...(invoiceId === undefined ? [] : [invoiceId]), ...aliases])];
}
