import { Type } from '@sinclair/typebox';
import { DeadLetterRecord } from '../dead-letter-record.ts';
import { adminRoute } from './admin-route.ts';
import {
  asOf,
  count,
  countsBy,
  extended,
  nullable,
  oneOfTexts,
  text,
  utc,
} from './answer-fields.ts';
import { OperatorNote } from './operator-note.ts';
import { format, order, page } from './paging.ts';
import { idText, oneOf, time } from './query-parameters.ts';
import { csvForm } from './csv-form.ts';

const statuses = ['open', 'redriven', 'discarded'] as const;

const DeadLetter = Type.Object({
  itemId: text,
  status: oneOfTexts(...statuses),
  origin: Type.Object({
    topic: text,
    partition: Type.Integer(),
    offset: text,
    key: nullable(text),
    at: utc,
  }),
  readers: Type.Array(Type.Object({ reader: text, reason: text, detail: text, putAsideAt: utc })),
  actions: Type.Array(
    Type.Object({
      type: oneOfTexts('redriven', 'discarded'),
      by: text,
      note: Type.Optional(text),
      at: utc,
    }),
  ),
});

/** Null for records about people, whose values are not kept. */
const Value = nullable(
  Type.Object({
    text: Type.Optional(text),
    base64: Type.Optional(text),
    bytes: count,
    cut: Type.Boolean(),
  }),
);

const filter = {
  status: oneOf(...statuses),
  topic: idText(),
  reader: idText(),
  reason: oneOf(...DeadLetterRecord.properties.reason.anyOf.map((literal) => literal.const)),
  from: time(),
  to: time(),
};

/** Records that their readers put aside: of all tenants, since often nobody can say of which. */
export const deadLetterRoutes = {
  listDeadLetters: adminRoute({
    method: 'GET',
    path: '/api/dead-letters',
    right: 'deployment',
    summary: 'Lists dead letters, newest record first.',
    query: { ...filter, order, ...page, format },
    csv: csvForm(
      'deadLetters',
      `itemId status origin.topic origin.partition origin.offset origin.key origin.at
        readers actions`,
      'origin.partition origin.offset',
    ),
    answers: {
      200: Type.Object({ deadLetters: Type.Array(DeadLetter), nextCursor: nullable(text), asOf }),
    },
  }),
  // In front of the route that takes any text for an id.
  countDeadLetters: adminRoute({
    method: 'GET',
    path: '/api/dead-letters/counts',
    right: 'deployment',
    summary:
      'Counts the dead letters that the list would show, by status, topic, reader and reason.',
    query: filter,
    answers: { 200: countsBy('status', 'topic', 'reader', 'reason') },
  }),
  showDeadLetter: adminRoute({
    method: 'GET',
    path: '/api/dead-letters/{itemId}',
    // Its value is a raw record, of whichever tenant.
    right: 'deployment',
    audited: true,
    summary: 'Shows a dead letter with its value.',
    answers: { 200: extended(DeadLetter, { value: Value, asOf }) },
  }),
  redriveDeadLetter: adminRoute({
    method: 'POST',
    path: '/api/dead-letters/{itemId}/redrive',
    right: 'deployment',
    summary: 'Appends the record to its topic again.',
    body: OperatorNote,
    answers: { 200: DeadLetter },
    conflict: 'the record still breaks its contract, or cannot be appended as it was',
  }),
  discardDeadLetter: adminRoute({
    method: 'POST',
    path: '/api/dead-letters/{itemId}/discard',
    right: 'deployment',
    summary: 'Records that no action is needed.',
    body: OperatorNote,
    answers: { 200: DeadLetter },
    conflict: 'it has been redriven',
  }),
};
