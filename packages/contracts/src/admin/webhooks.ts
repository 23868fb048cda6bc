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
    summary: 'Shows how the endpoint is set up and how it fares.',
    answers: { 200: WebhookStatus },
    asks: questionOf('webhook-dispatcher', '/tenants/{tenantId}/webhook/status', WebhookStatus),
  }),
  setWebhook: adminRoute({
    method: 'PUT',
    path: '/api/tenants/{tenantId}/webhook',
    right: 'administer',
    confirmed: true,
    summary:
      'Sets where webhooks go. Credentials stay as they are, or are made and shown once; another address needs its password entered again.',
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
    summary: 'Sends nothing until it is resumed; the time of what waits runs on.',
    body: Stop,
    publishes: true,
    answers: { 200: WebhookEndpoint },
    conflict: 'there is no webhook',
  }),
  resumeWebhook: adminRoute({
    method: 'POST',
    path: '/api/tenants/{tenantId}/webhook/resume',
    right: 'develop',
    summary: 'Sends webhooks again.',
    body: closedObject({ by, reason: Type.Optional(anyText(1_000)) }),
    publishes: true,
    answers: { 200: WebhookEndpoint },
    conflict: 'there is no webhook',
  }),
  disableWebhook: adminRoute({
    method: 'POST',
    path: '/api/tenants/{tenantId}/webhook/disable',
    right: 'develop',
    summary: 'Has webhooks wait without end, as if there were no endpoint.',
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
      'Makes a new password, which is shown once; the old one is used for overlapHours (0 to 720) more.',
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
    summary: 'Sends again what was given up, the first given up first, at most 500 at a time.',
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
