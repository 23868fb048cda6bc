import { definePlace } from '../../app/place.ts';
import { oneOf, text } from '../../app/search.ts';

export const approvalStates = [
  ...(['pending', 'approved', 'done', 'failed', 'declined', 'expired'] as const),
] as const;

export const place = definePlace({
  path: 'approvals',
  nav: 'approvals',
  right: 'read',
  search: { of: oneOf('deployment'), state: oneOf(...approvalStates), open: text },
});
