import fc from 'fast-check';
import { currencies, emails, timestamps } from './legacy-rules.ts';

const odd = fc.oneof(
  fc.constantFrom<unknown>(null, '', ' ', true, 'a\0', '\ud800', '🦊'.repeat(255), 'x'.repeat(256)),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.jsonValue({ maxDepth: 2 }),
);
const numbers = fc.oneof(
  { arbitrary: fc.nat(10_000), weight: 12 },
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.nat(100_000).map((quarters) => quarters / 4),
  fc.constantFrom<unknown>(0, '0', '-0', '12.5', ' 7 ', '.5', '1e2', '-1', 'ten', '0x10', '1e'),
  fc.constantFrom<unknown>(9007199254740991, 9007199254740992, -0.25),
);
const money = mix(currencies);
const times = mix(timestamps);
const mail = mix(emails);
const triggers = fc.constantFrom(
  ...['new-signup', 'demo-call-attended', 'invoice-paid', 'charge-refunded', 'churn'],
);

function mix({ good, bad }: { good: string[]; bad: string[] }): fc.Arbitrary<string> {
  return fc.oneof(
    { arbitrary: fc.constantFrom(...good), weight: 9 },
    { arbitrary: fc.constantFrom(...bad), weight: 1 },
  );
}

/** A member that is mostly as it should be: otherwise hardly a body would be accepted. */
function mostly(usual: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ arbitrary: usual, weight: 40 }, { arbitrary: odd, weight: 1 });
}

function section(members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  const map = fc
    .tuple(
      fc.record(members, { requiredKeys: [] }),
      fc.dictionary(fc.string(), odd, { maxKeys: 1 }),
    )
    .map(([known, unknown]): unknown => ({ ...unknown, ...known }));
  const none = fc.constantFrom<unknown>(null, [], {}, 'text');
  return fc.oneof({ arbitrary: map, weight: 60 }, { arbitrary: none, weight: 1 });
}

const word = mostly(fc.string({ minLength: 1, maxLength: 12 }));

/** Bodies of POST /events, right and wrong; every one can be written as JSON. */
export const envelopes: fc.Arbitrary<unknown> = section({
  eventName: mostly(fc.constant('ReferralUpdated')),
  payload: section({ ucc: word, newUserId: word, price: mostly(numbers), currency: mostly(money) }),
  context: section({
    event: section({ trigger: mostly(triggers), timestamp: mostly(times) }),
    newUser: section({ id: word, email: mostly(mail), name: word, organizationId: word }),
    subscription: section({
      id: word,
      invoiceId: word,
      interval: word,
      seatsUsed: mostly(fc.oneof(fc.nat(), numbers)),
      productKey: word,
    }),
  }),
});
