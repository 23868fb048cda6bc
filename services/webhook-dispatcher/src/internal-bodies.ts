import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { cursorAt, momentForm, placeAt } from '@tributary/http/internal-bodies';
import type { Place, ShownDelivery } from './adapters/postgres/search-deliveries.ts';

/** What the bodies of internal-routes.ts must look like. */
const closed = { additionalProperties: false };
/** The contract counts characters, a schema UTF-16 units: two at most for each character. */
const text = (maxCharacters: number) =>
  Type.String({ minLength: 1, maxLength: 2 * maxCharacters, pattern: '^[^\\u0000]*$' });
const moment = Type.String({ pattern: momentForm.source });

const asked = { by: text(255), note: Type.Optional(text(1_000)) };

export const noMembers = TypeCompiler.Compile(Type.Object({}, closed));
export const askedBody = TypeCompiler.Compile(Type.Object(asked, closed));
export const searchBody = TypeCompiler.Compile(
  Type.Object(
    {
      state: Type.Optional(
        Type.Union([
          Type.Literal('pending'),
          Type.Literal('delivered'),
          Type.Literal('exhausted'),
          Type.Literal('no-endpoint'),
        ]),
      ),
      recipientId: Type.Optional(text(255)),
      since: Type.Optional(moment),
      until: Type.Optional(moment),
      limit: Type.Integer({ minimum: 1, maximum: 200 }),
      cursor: Type.Optional(Type.String({ maxLength: 200 })),
    },
    closed,
  ),
);
export const recoverBody = TypeCompiler.Compile(
  Type.Object(
    {
      ...asked,
      since: moment,
      until: Type.Optional(moment),
      limit: Type.Integer({ minimum: 1, maximum: 1_000 }),
    },
    closed,
  ),
);

export function cursorOf({ issuedAt, webhookEventId }: ShownDelivery): string {
  return cursorAt(issuedAt, webhookEventId);
}

/** Null when it is none that was given out. */
export function placeOf(cursor: string): Place | null {
  const place = placeAt(cursor);
  return place && { issuedAt: place.at, webhookEventId: place.uuid };
}
