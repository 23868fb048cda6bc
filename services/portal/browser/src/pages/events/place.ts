import { definePlace } from '../../app/place.ts';
import { instant, oneOf, text } from '../../app/search.ts';

export const place = definePlace({
  path: 'events',
  nav: 'events',
  right: 'read',
  search: {
    type: oneOf('purchase-created', 'signup-created', 'demo-attended', 'purchase-refunded'),
    source: oneOf('v2', 'legacy', 'processor', 'widget'),
    outcome: oneOf('attributed', 'not-attributed', 'waiting', 'undecided', 'pending'),
    user: text,
    referrer: text,
    campaign: text,
    code: text,
    invoice: text,
    from: instant,
    to: instant,
    order: oneOf('newest', 'oldest'),
    open: text,
    /** An instant of the past: the open event as it was known then. */
    asOf: instant,
  },
});
