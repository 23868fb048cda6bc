import { definePlace } from '../../app/place.ts';

export const place = definePlace({
  path: 'campaigns',
  nav: 'campaigns',
  right: 'read',
  search: {},
});
