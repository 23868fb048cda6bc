import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { ConnectionId } from '@tributary/contracts/processor-record';
import { cursorAt, momentForm, placeAt } from '@tributary/http/internal-bodies';
import type { ItemPlace } from '../adapters/postgres/search-items.ts';
import type { ShownItem } from './shown-item.ts';

/** What the bodies of item-routes.ts must look like. */
const closed = { additionalProperties: false };
const text = Type.String({ minLength: 1, maxLength: 510, pattern: '^[^\\u0000]*$' });
const moment = Type.String({ pattern: momentForm.source });

export const noMembers = TypeCompiler.Compile(Type.Object({}, closed));
export const searchBody = TypeCompiler.Compile(
  Type.Object(
    {
      state: Type.Optional(
        Type.Union([
          Type.Literal('reported'),
          Type.Literal('waiting'),
          Type.Literal('unmatched'),
          Type.Literal('ignored'),
        ]),
      ),
      reason: Type.Optional(text),
      type: Type.Optional(
        Type.Union([
          Type.Literal('invoice'),
          Type.Literal('checkout-session'),
          Type.Literal('charge'),
        ]),
      ),
      customerId: Type.Optional(text),
      connectionId: Type.Optional(ConnectionId),
      since: Type.Optional(moment),
      until: Type.Optional(moment),
      limit: Type.Integer({ minimum: 1, maximum: 200 }),
      cursor: Type.Optional(Type.String({ maxLength: 200 })),
    },
    closed,
  ),
);
export const retryBody = TypeCompiler.Compile(
  Type.Object(
    {
      reason: Type.Optional(text),
      limit: Type.Integer({ minimum: 1, maximum: 1_000 }),
    },
    closed,
  ),
);

export function cursorOf({ knownSince, itemId }: ShownItem): string {
  return cursorAt(knownSince, itemId);
}

/** Null when it is none that was given out. */
export function placeOf(cursor: string): ItemPlace | null {
  const place = placeAt(cursor);
  return place && { knownSince: place.at, itemId: place.uuid };
}
