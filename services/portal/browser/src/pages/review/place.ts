import { definePlace } from '../../app/place.ts';
import { oneOf, text } from '../../app/search.ts';

export const place = definePlace({
  path: 'review',
  nav: 'review',
  right: 'read',
  search: {
    tab: oneOf('rewards', 'events', 'payments', 'dead-letters'),
    campaign: text,
    recipient: text,
    open: text,
  },
});
