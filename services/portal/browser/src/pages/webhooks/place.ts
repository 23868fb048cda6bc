import { definePlace } from '../../app/place.ts';
import { instant, oneOf, text } from '../../app/search.ts';

export const place = definePlace({
  path: 'webhooks',
  nav: 'webhooks',
  right: 'read',
  search: {
    state: oneOf('pending', 'delivered', 'exhausted', 'no-endpoint'),
    recipient: text,
    since: instant,
    until: instant,
    open: text,
  },
});
