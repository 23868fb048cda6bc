import { Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object.ts';
import { adminRoute, forwardedRoute, questionOf, serviceRoute } from './admin-route.ts';
import { count, nullable, text, utc } from './answer-fields.ts';
import { orDefault } from './body-validator.ts';
import { instant } from './instant.ts';
import { by, OperatorNote } from './operator-note.ts';
import { NoMembers } from './no-members.ts';
import { anyText, basicUsername, printableText } from './text-fields.ts';
import { WebhookEndpoint, WebhookStatus, WebhookTest } from './webhook-answers.ts';

const credentials = { url: text, username: text, password: text };

/** Whoever stops an endpoint says why: others will want to know. */
const Stop = closedObject({ by, reason: anyText(1_000) });

const Recover = closedObject({
  ...OperatorNote.properties,
  since: instant(),
  until: Type.Optional(instant()),
});
const Recovered = Type.Object({ recovered: count, more: Type.Boolean(), remaining: count });

/**
 * How a tenant's endpoint is set up, which the catalog has, and how it fares, which the dispatcher
 * knows.
 */
export const webhookRoutes = {
  showWebhook: adminRoute({
    method: 'GET',
    path: '/api/tenants/{tenantId}/webhook',
    right: 'read',
    summary: 'Shows the endpoint’s settings and its state.',
    answers: { 200: WebhookStatus },
    asks: questionOf('webhook-dispatcher', '/tenants/{tenantId}/webhook/status', WebhookStatus),
  }),
  setWebhook: adminRoute({
    method: 'PUT',
    path: '/api/tenants/{tenantId}/webhook',
    right: 'administer',
    confirmed: true,
    summary:
      'Sets where webhooks are sent. Existing credentials are kept; if there are none, they are created and shown once. A new address requires the password again.',
    body: closedObject({
      url: Type.String({ maxLength: 2048, expected: 'an address of up to 2048 characters' }),
      username: Type.Optional(basicUsername()),
      password: Type.Optional(printableText(255)),
    }),
    publishes: true,
    answers: { 200: Type.Object({ ...credentials, password: Type.Optional(text) }) },
  }),
  testWebhook: forwardedRoute('webhook-dispatcher', {
    method: 'POST',
    path: '/api/tenants/{tenantId}/webhook/test',
    right: 'develop',
    summary: 'Sends an event of type `webhook-test` to the endpoint.',
    body: NoMembers,
    bodyOptional: true,
    publishes: true,
    answers: { 200: WebhookTest },
    conflict: 'there is no endpoint, it is disabled, or the tenant is suspended',
  }),
  pauseWebhook: adminRoute({
    method: 'POST',
    path: '/api/tenants/{tenantId}/webhook/pause',
    right: 'develop',
    summary: 'Pauses sending until it is resumed; waiting webhooks still expire in the meantime.',
    body: Stop,
    publishes: true,
    answers: { 200: WebhookEndpoint },
    conflict: 'there is no webhook',
  }),
  resumeWebhook: adminRoute({
    method: 'POST',
    path: '/api/tenants/{tenantId}/webhook/resume',
    right: 'develop',
    summary: 'Resumes sending.',
    body: closedObject({ by, reason: Type.Optional(anyText(1_000)) }),
    publishes: true,
    answers: { 200: WebhookEndpoint },
    conflict: 'there is no webhook',
  }),
  disableWebhook: adminRoute({
    method: 'POST',
    path: '/api/tenants/{tenantId}/webhook/disable',
    right: 'develop',
    summary: 'Disables the endpoint: webhooks wait indefinitely, as if there were no endpoint.',
    body: Stop,
    publishes: true,
    answers: { 200: WebhookEndpoint },
    conflict: 'there is no webhook',
  }),
  rotateWebhook: adminRoute({
    method: 'POST',
    path: '/api/tenants/{tenantId}/webhook/rotate',
    right: 'administer',
    confirmed: true,
    summary:
      'Creates a new password, which is shown once; the old one is used for another overlapHours (0 to 720).',
    body: closedObject({ overlapHours: orDefault(Type.Integer({ minimum: 0, maximum: 720 }), 24) }),
    bodyOptional: true,
    publishes: true,
    answers: { 200: Type.Object({ ...credentials, previousUntil: nullable(utc) }) },
    conflict: 'there is no webhook',
  }),
  recoverDeliveries: adminRoute({
    method: 'POST',
    path: '/api/tenants/{tenantId}/webhook/recover',
    right: 'develop',
    summary: 'Resends deliveries that were given up, oldest first, at most 500 at a time.',
    body: Recover,
    publishes: true,
    answers: { 200: Recovered },
    asks: serviceRoute({
      service: 'webhook-dispatcher',
      method: 'POST',
      path: '/tenants/{tenantId}/webhook/recover',
      body: closedObject({
        ...Recover.properties,
        limit: Type.Integer({ minimum: 1, maximum: 1_000 }),
      }),
      answer: Recovered,
    }),
  }),
};
