import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { Place, ShownDelivery } from './adapters/postgres/search-deliveries.ts';

/** What the bodies of internal-routes.ts must look like, and how their texts are read. */
export type Checker<S extends TSchema> = {
  Check(value: unknown): value is Static<S>;
  Errors(value: unknown): { First(): { path: string; message: string } | undefined };
  /** Only says what S is. */
  Schema(): S;
};

export const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const closed = { additionalProperties: false };
/** The contract counts characters, a schema UTF-16 units: two at most for each character. */
const text = (maxCharacters: number) =>
  Type.String({ minLength: 1, maxLength: 2 * maxCharacters, pattern: '^[^\\u0000]*$' });
/** UTC with milliseconds. */
const momentForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
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
export function cursorOf({ issuedAt, webhookEventId }: ShownDelivery): string {
  return Buffer.from(`${issuedAt} ${webhookEventId}`).toString('base64url');
}

/** Null when it is none that was given out. */
export function placeOf(cursor: string): Place | null {
  const [issued = '', webhookEventId = ''] = Buffer.from(cursor, 'base64url')
    .toString('utf8')
    .split(' ');
  const issuedAt = new Date(issued);
  const isMoment = momentForm.test(issued) && !Number.isNaN(issuedAt.getTime());
  if (!isMoment || !uuidForm.test(webhookEventId)) return null;
  return { issuedAt, webhookEventId };
}
