import { isRawObject, type RawObject } from './raw-json.ts';

/** The envelope of design 8, "Legacy": the known names at each level. */
const envelope: Level = {
  eventName: 'field',
  payload: { ucc: 'field', newUserId: 'field', price: 'field', currency: 'field' },
  context: {
    event: { trigger: 'field', timestamp: 'field' },
    newUser: { id: 'field', email: 'field', name: 'field', organizationId: 'field' },
    subscription: {
      id: 'field',
      invoiceId: 'field',
      interval: 'field',
      seatsUsed: 'field',
      productKey: 'field',
    },
  },
};

interface Level {
  readonly [name: string]: Level | 'field';
}

/** Dotted paths of members that are not part of the envelope; an unknown object is one member. */
export function unknownFields(body: RawObject): string[] {
  return unknownIn(body, envelope, '');
}

function unknownIn(object: RawObject, level: Level, prefix: string): string[] {
  return Object.keys(object).flatMap((name) => {
    const known = Object.hasOwn(level, name) ? level[name] : undefined;
    if (known === undefined) return [prefix + name];
    const value = object[name];
    if (known === 'field' || !isRawObject(value)) return [];
    return unknownIn(value, known, `${prefix}${name}.`);
  });
}
