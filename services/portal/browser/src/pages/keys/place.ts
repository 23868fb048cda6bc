import { definePlace } from '../../app/place.ts';

export const place = definePlace({ path: 'keys', nav: 'keys', right: 'read', search: {} });
