import { definePlace } from '../../app/place.ts';
import { text } from '../../app/search.ts';

export const place = definePlace({
  path: 'replay',
  nav: 'replay',
  right: 'deployment',
  search: { open: text },
});
