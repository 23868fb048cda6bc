import { definePlace } from '../../app/place.ts';
import { oneOf, text } from '../../app/search.ts';

export const place = definePlace({
  path: 'campaigns/$campaignId',
  right: 'read',
  search: {
    tab: oneOf('rules', 'try', 'revisions'),
    /** The revision that is compared with the one before it. */
    revision: text,
  },
});
