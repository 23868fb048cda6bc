import { definePlace } from '../../app/place.ts';
import { instant } from '../../app/search.ts';

export const place = definePlace({
  path: 'overview',
  nav: 'overview',
  right: 'read',
  search: { from: instant, to: instant },
});
