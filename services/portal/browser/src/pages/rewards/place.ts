import { definePlace } from '../../app/place.ts';
import { instant, oneOf, text } from '../../app/search.ts';

export const place = definePlace({
  path: 'rewards',
  nav: 'rewards',
  right: 'read',
  search: {
    state: oneOf('held', 'review', 'issued', 'withheld', 'reversed', 'capped'),
    role: oneOf('referrer', 'new-user'),
    recipient: text,
    campaign: text,
    rule: text,
    from: instant,
    to: instant,
    open: text,
  },
});
