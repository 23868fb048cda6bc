import { definePlace } from '../../app/place.ts';
import { instant, oneOf, text } from '../../app/search.ts';

/** The codes of the public contract that a caller can do something about. */
export const refusalCodes = [
  ...(['VALIDATION_ERROR', 'MALFORMED_JSON', 'UNAUTHORIZED', 'IDEMPOTENCY_CONFLICT'] as const),
  ...(['IDEMPOTENCY_KEY_CONFLICT', 'UNKNOWN_EVENT_TYPE', 'PAYLOAD_TOO_LARGE'] as const),
  'SERVICE_UNAVAILABLE',
] as const;

export const place = definePlace({
  path: 'requests',
  nav: 'requests',
  right: 'read',
  search: { code: oneOf(...refusalCodes), route: text, key: text, from: instant, to: instant },
});
