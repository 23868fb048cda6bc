import { Type } from '@sinclair/typebox';
import { ProcessorConnectionRecord } from '../catalog-record.ts';
import { closedObject } from '../closed-object.ts';
import { TaxPolicy } from '../processor-record.ts';
import type { Violation } from '../violation.ts';
import { adminRoute, questionOf, serviceRoute } from './admin-route.ts';
import { extended, list, nullable, text } from './answer-fields.ts';
import { orDefault, refined } from './body-validator.ts';
import { instant } from './instant.ts';
import { NoMembers } from './no-members.ts';
import { by } from './operator-note.ts';
import {
  ConnectionCheck,
  ConnectionStatus,
  ConnectionWithStatus,
  Finding,
  ProcessorConnection,
  ReconciledPage,
  statusUnavailable,
} from './processor-answers.ts';
import { anyText, printableText } from './text-fields.ts';

/** A publishable one (pk_…) is in web pages, and reads nothing. */
const apiKey = Type.RegExp(/^(?:rk|sk)_(?:live|test)_\w{1,240}$/, {
  expected:
    'a restricted or secret key of Stripe, whole: rk_live_…, rk_test_…, sk_live_…, sk_test_…',
});
const signingSecret = Type.RegExp(/^[\x21-\x7e]{8,255}$/, {
  expected: 'the signing secret of an endpoint, such as whsec_…, without blanks',
});
const apiVersion = Type.RegExp(
  new RegExp(ProcessorConnectionRecord.properties.apiVersion.pattern ?? ''),
  { expected: "a version of Stripe's API, such as 2025-03-31.basil" },
);
const endpointId = Type.RegExp(/^\w{3,255}$/, {
  expected: 'the id of an endpoint at Stripe, such as we_…',
});
const secretMissing: Violation = {
  pointer: '/signingSecret',
  code: 'REQUIRED',
  detail: 'must be given with endpointId: Stripe shows it for an endpoint that was made by hand',
};

/** One page of a walk; nothing is appended unless it is asked for. */
const Reconcile = closedObject({
  kind: Type.Union([Type.Literal('invoices'), Type.Literal('sessions'), Type.Literal('refunds')]),
  since: instant(),
  append: orDefault(Type.Boolean(), false),
  cursor: Type.Optional(printableText(1_000)),
  lookBackDays: Type.Optional(Type.Integer({ minimum: 0, maximum: 3_650 })),
});

const all = '/api/tenants/{tenantId}/processor-connections';
const one = `${all}/{connectionId}` as const;
const oneThere = '/tenants/{tenantId}/connections/{connectionId}';

/**
 * Connections to payment processors: the catalog has them, and processor-events alone asks Stripe.
 */
export const processorRoutes = {
  connectProcessor: adminRoute({
    method: 'POST',
    path: all,
    right: 'administer',
    confirmed: true,
    summary: 'Connects a Stripe account. `check` is null if it did not finish in time.',
    body: refined(
      closedObject({
        apiKey,
        apiVersion: Type.Optional(apiVersion),
        taxPolicy: Type.Optional(TaxPolicy),
        /** For an endpoint made by hand, or where Stripe does not return it. */
        signingSecret: Type.Optional(signingSecret),
        /** For an endpoint made by hand. */
        endpointId: Type.Optional(endpointId),
        by,
      }),
      (body) =>
        body.endpointId !== undefined && body.signingSecret === undefined ? [secretMissing] : [],
    ),
    publishes: true,
    answers: {
      201: extended(ProcessorConnection, { check: nullable(ConnectionCheck) }),
      200: extended(ProcessorConnection, { check: nullable(ConnectionCheck) }),
    },
    when: { 200: 'when it is connected' },
    conflict:
      'the key is for the other mode, its account is connected with other settings, or Stripe refuses it',
  }),
  listConnections: adminRoute({
    method: 'GET',
    path: all,
    right: 'read',
    summary: 'Lists the connections and the state of each.',
    answers: {
      200: Type.Object({ connections: Type.Array(ConnectionWithStatus), statusUnavailable }),
    },
  }),
  showConnection: adminRoute({
    method: 'GET',
    path: one,
    right: 'read',
    summary: 'Shows a connection and its state.',
    answers: { 200: extended(ConnectionWithStatus, { statusUnavailable }) },
  }),
  checkConnection: adminRoute({
    method: 'POST',
    path: `${one}/check`,
    right: 'develop',
    summary: 'Checks a connection without changing anything.',
    body: NoMembers,
    bodyOptional: true,
    publishes: true,
    answers: { 200: ConnectionCheck },
    conflict: 'it is not open',
    asks: questionOf('processor-events', `${oneThere}/check`, ConnectionCheck),
  }),
  rotateConnection: adminRoute({
    method: 'POST',
    path: `${one}/rotate`,
    right: 'administer',
    confirmed: true,
    summary:
      'Creates a second endpoint with its own secret; both are valid for overlapHours (0 to 720).',
    body: closedObject({
      // Stripe goes on for up to three days with what it could not deliver.
      overlapHours: orDefault(Type.Integer({ minimum: 0, maximum: 720 }), 72),
      signingSecret: Type.Optional(signingSecret),
      by,
    }),
    bodyOptional: true,
    publishes: true,
    answers: { 200: ProcessorConnection },
    conflict: 'an overlap is running, or it is not open',
  }),
  repairConnection: adminRoute({
    method: 'POST',
    path: `${one}/repair`,
    right: 'administer',
    confirmed: true,
    summary:
      'Checks a connection and repairs what it can. `ok` is null if the final check did not finish in time.',
    body: closedObject({
      apiKey: Type.Optional(apiKey),
      signingSecret: Type.Optional(signingSecret),
      by,
    }),
    bodyOptional: true,
    publishes: true,
    answers: {
      200: extended(ProcessorConnection, {
        repaired: Type.Array(text),
        ok: nullable(Type.Boolean()),
        findings: Type.Array(Finding),
      }),
    },
    conflict: 'it is not open, or Stripe refuses it',
  }),
  disconnectProcessor: adminRoute({
    method: 'POST',
    path: `${one}/disconnect`,
    right: 'administer',
    confirmed: true,
    summary:
      'Removes the endpoints at Stripe, then deletes key and secrets. `left` lists endpoints that remain at Stripe.',
    body: closedObject({ by, reason: anyText(1_000), force: Type.Optional(Type.Boolean()) }),
    publishes: true,
    answers: {
      200: extended(ProcessorConnection, {
        removed: Type.Array(text),
        left: Type.Array(text),
      }),
    },
    conflict: 'Stripe no longer accepts the key, and `force` is not set',
  }),
  reconcileConnection: adminRoute({
    method: 'POST',
    path: `${one}/reconcile`,
    right: 'develop',
    summary: 'Compares one page of Stripe’s objects with the facts.',
    body: Reconcile,
    publishes: true,
    answers: { 200: ReconciledPage },
    conflict: 'it is not open',
    asks: serviceRoute({
      service: 'processor-events',
      method: 'POST',
      path: `${oneThere}/reconcile`,
      body: Reconcile,
      answer: ReconciledPage,
    }),
  }),
};

const opening = {
  /** In front of an endpoint's secret only. */
  apiKey: Type.String({ minLength: 1, maxLength: 512 }),
  apiVersion: ProcessorConnectionRecord.properties.apiVersion,
};
const endpoint = Type.String({ minLength: 1, maxLength: 255 });
const EndpointAtStripe = Type.Object({ id: text, secret: nullable(text) });

/**
 * What the portal has done at Stripe. Keys and secrets are in these bodies and answers, and in no
 * log.
 */
export const processorServiceRoutes = {
  openConnection: serviceRoute({
    service: 'processor-events',
    method: 'POST',
    path: `${oneThere}/open`,
    body: closedObject({
      ...opening,
      endpointId: Type.Optional(endpoint),
      url: Type.String({ minLength: 1, maxLength: 2_048 }),
    }),
    answer: Type.Object({ livemode: Type.Boolean(), endpoint: EndpointAtStripe }),
  }),
  /** The present endpoint, as the portal knows it. */
  renewEndpoint: serviceRoute({
    service: 'processor-events',
    method: 'POST',
    path: `${oneThere}/renew`,
    body: closedObject({ endpointId: Type.Optional(endpoint) }),
    answer: Type.Object({ endpoint: EndpointAtStripe }),
  }),
  /** With its key, where the connection is not in the catalog. */
  closeConnection: serviceRoute({
    service: 'processor-events',
    method: 'POST',
    path: `${oneThere}/close`,
    body: closedObject({
      apiKey: Type.Optional(opening.apiKey),
      apiVersion: Type.Optional(opening.apiVersion),
    }),
    answer: Type.Object({ removed: Type.Array(text) }),
  }),
  readConnectionStatus: questionOf(
    'processor-events',
    '/tenants/{tenantId}/connections/status',
    list('connections', ConnectionStatus),
  ),
};
