import { definePlace } from '../../app/place.ts';
import { instant, text } from '../../app/search.ts';

export const place = definePlace({
  path: 'requests',
  nav: 'requests',
  right: 'read',
  search: { code: text, route: text, key: text, from: instant, to: instant },
});
