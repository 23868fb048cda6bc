import { definePlace } from '../../app/place.ts';
import { instant, oneOf, text } from '../../app/search.ts';

export const place = definePlace({
  path: 'payments',
  nav: 'payments',
  right: 'read',
  search: {
    state: oneOf('reported', 'waiting', 'unmatched', 'ignored'),
    type: oneOf('invoice', 'checkout-session', 'charge'),
    customerId: text,
    since: instant,
    until: instant,
    open: text,
  },
});
