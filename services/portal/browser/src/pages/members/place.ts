import { definePlace } from '../../app/place.ts';
import { text } from '../../app/search.ts';

export const place = definePlace({
  path: 'members',
  nav: 'members',
  right: 'administer',
  search: { open: text },
});
