import { definePlace } from '../../app/place.ts';

export const place = definePlace({ path: 'widget', nav: 'widget', right: 'read', search: {} });
