/** The smallest purchase-created that the benchmarks read and spoil. */
export const smallestPurchase = {
  ucc: 'BENCHCODE',
  occurredAt: '2026-01-31T12:00:00Z',
  newUser: { id: 'user-1234' },
  currency: 'EUR',
  invoiceId: 'inv-0123456789',
  amount: 4900,
  subscription: { interval: 'monthly' },
};
