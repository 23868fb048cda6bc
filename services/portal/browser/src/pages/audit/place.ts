import { definePlace } from '../../app/place.ts';
import { instant, text } from '../../app/search.ts';

export const place = definePlace({
  path: 'audit',
  nav: 'audit',
  right: 'administer',
  search: { actor: text, action: text, since: instant, until: instant, open: text },
});
