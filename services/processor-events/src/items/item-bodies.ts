import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { ConnectionId } from '@tributary/contracts/processor-record';
import type { ItemPlace } from '../adapters/postgres/search-items.ts';
import type { ShownItem } from './shown-item.ts';

/** What the bodies of item-routes.ts must look like, and how their texts are read. */
export const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const closed = { additionalProperties: false };
const text = Type.String({ minLength: 1, maxLength: 510, pattern: '^[^\\u0000]*$' });
/** UTC with milliseconds. */
const momentForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
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

/** Undefined when one of them is no time; the schema knows their form only. */
export function periodOf(body: {
  since?: string;
  until?: string;
}): { since?: Date; until?: Date } | undefined {
  const since = body.since === undefined ? undefined : new Date(body.since);
  const until = body.until === undefined ? undefined : new Date(body.until);
  if (Number.isNaN(since?.getTime()) || Number.isNaN(until?.getTime())) return undefined;
  return { ...(since && { since }), ...(until && { until }) };
}

/** Where a page ended, for whoever asks for the next one. */
export function cursorOf({ knownSince, itemId }: ShownItem): string {
  return Buffer.from(`${knownSince} ${itemId}`).toString('base64url');
}

/** Null when it is none that was given out. */
export function placeOf(cursor: string): ItemPlace | null {
  const [known = '', itemId = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split(' ');
  const knownSince = new Date(known);
  const isMoment = momentForm.test(known) && !Number.isNaN(knownSince.getTime());
  if (!isMoment || !uuidForm.test(itemId)) return null;
  return { knownSince, itemId };
}
