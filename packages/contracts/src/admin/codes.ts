import { Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object.ts';
import { isDerivedUccForm } from '../ucc.ts';
import type { Violation } from '../violation.ts';
import { adminRoute } from './admin-route.ts';
import { asOf, nullable, text, utc } from './answer-fields.ts';
import { refined } from './body-validator.ts';
import { cursorOf } from './cursor.ts';
import { format, limit } from './paging.ts';
import { idText, oneOf } from './query-parameters.ts';
import { anyText, identifier, printableText } from './text-fields.ts';
import { csvForm } from './csv-form.ts';

/** In the body: a custom one may be any text, also what a path cannot hold. */
const NamedCode = closedObject({ ucc: anyText(255) });

const code = { ucc: text, campaignId: text, productUserId: text };
const IssuedCode = Type.Object({
  ...code,
  link: Type.Optional(text),
  disabledAt: Type.Optional(utc),
});

const derivedForm: Violation = {
  pointer: '/ucc',
  code: 'INVALID_FORMAT',
  detail: 'must not be 11 letters and digits: this form is reserved for generated codes',
};

export const codeRoutes = {
  listCodes: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/codes',
    right: 'read',
    summary: 'Lists codes in alphabetical order; with q, those that begin with it.',
    query: {
      q: idText(),
      user: idText(),
      state: oneOf('active', 'disabled'),
      limit,
      cursor: cursorOf(1),
      format,
    },
    csv: csvForm('codes', 'ucc productUserId campaignId issuedAt disabledAt'),
    answers: {
      200: Type.Object({
        codes: Type.Array(Type.Object({ ...code, issuedAt: utc, disabledAt: Type.Optional(utc) })),
        nextCursor: nullable(text),
        asOf,
      }),
    },
  }),
  issueCode: adminRoute({
    method: 'POST',
    path: '/api/tenants/{tenantId}/codes',
    right: 'develop',
    summary: 'Issues a user’s code. A disabled code has disabledAt instead of link.',
    body: refined(
      closedObject({
        productUserId: anyText(255),
        campaignId: Type.Optional(identifier()),
        ucc: Type.Optional(printableText(255)),
      }),
      ({ ucc }) => (ucc !== undefined && isDerivedUccForm(ucc) ? [derivedForm] : []),
    ),
    publishes: true,
    answers: { 201: IssuedCode, 200: IssuedCode },
    when: { 200: 'when it exists' },
    conflict: "the tenant has no campaign yet, or the code is another user's or campaign's",
  }),
  disableCode: adminRoute({
    method: 'POST',
    path: '/api/tenants/{tenantId}/codes/disable',
    right: 'develop',
    summary: 'Disables a code: nothing received until it is enabled again is attributed by it.',
    body: NamedCode,
    publishes: true,
    answers: { 200: Type.Object({ ...code, disabledAt: utc }) },
  }),
  enableCode: adminRoute({
    method: 'POST',
    path: '/api/tenants/{tenantId}/codes/enable',
    right: 'develop',
    summary: 'Enables a disabled code again.',
    body: NamedCode,
    publishes: true,
    answers: { 200: IssuedCode },
  }),
};
