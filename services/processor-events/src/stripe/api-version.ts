// Where the versions of Stripe's API differ for what is asked here. A version is a date, since 2024
// with a name behind it (`2025-03-31.basil`); dates compare as text.

/** Invoice payments came, and charges and payment intents lost their invoice. */
export function hasInvoicePayments(apiVersion: string): boolean {
  return dateOf(apiVersion) >= '2025-03-31';
}

/** Payment intents have `latest_charge`; before, they carry their charges. */
export function hasLatestCharge(apiVersion: string): boolean {
  return dateOf(apiVersion) >= '2022-11-15';
}

function dateOf(apiVersion: string): string {
  return apiVersion.slice(0, 10);
}
