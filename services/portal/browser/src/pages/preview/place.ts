import { definePlace } from '../../app/place.ts';
import { oneOf, text } from '../../app/search.ts';

export const place = definePlace({
  path: 'previews/$previewId',
  right: 'deployment',
  search: {
    /** The preview that this one is compared with. */
    with: text,
    kind: oneOf('new', 'withdrawn', 'changed', 'review'),
    rule: text,
    recipient: text,
    month: text,
  },
});
