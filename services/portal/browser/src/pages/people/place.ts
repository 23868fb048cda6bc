import { definePlace } from '../../app/place.ts';
import { text } from '../../app/search.ts';

export const place = definePlace({
  path: 'people',
  nav: 'people',
  right: 'read',
  search: { q: text, open: text },
});
