import { definePlace } from '../../app/place.ts';
import { instant, text } from '../../app/search.ts';

export const place = definePlace({
  path: 'ledger',
  nav: 'ledger',
  right: 'read',
  search: { recipient: text, campaign: text, reward: text, from: instant, to: instant },
});
