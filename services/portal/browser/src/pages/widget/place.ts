import { definePlace } from '../../app/place.ts';
import { oneOf, text } from '../../app/search.ts';

export const place = definePlace({
  path: 'widget',
  nav: 'widget',
  right: 'read',
  search: {
    /** What the preview is shown in. */
    language: text,
    scheme: oneOf('light', 'dark'),
  },
});
