import { definePlace } from '../../app/place.ts';

export const place = definePlace({
  path: 'health',
  nav: 'health',
  right: 'deployment',
  search: {},
});
