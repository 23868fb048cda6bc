import { definePlace } from '../../app/place.ts';
import { instant, text } from '../../app/search.ts';

export const place = definePlace({
  path: 'overview',
  nav: 'overview',
  right: 'read',
  search: { from: instant, to: instant, run: text },
});
