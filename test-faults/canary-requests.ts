import { randomUUID } from 'node:crypto';
import type { Demo, DemoTenant } from '../deploy/demo/demo-file.ts';
import { widgetToken } from '../test-e2e/browser/widget-token.ts';
import { type Answer, call, purchase } from '../test-e2e/calls.ts';

/** Texts that occur nowhere else, so that finding one proves where it came from. */
export type Canaries = ReturnType<typeof makeCanaries>;

/** Letters and digits only: neither JSON nor a URL nor a regular expression changes them. */
export function makeCanaries(run: string) {
  const canary = (kind: string) => `canary${kind}${run}`;
  return {
    /** May stand in no answer, log line, metric or dead letter. */
    secret: {
      email: canary('mail'),
      name: canary('name'),
      wrongToken: canary('token'),
      wrongSecretKey: canary('secretkey'),
      header: canary('header'),
      requestId: canary('requestid'),
      cookie: canary('cookie'),
      query: canary('query'),
      unknownValue: canary('unknownvalue'),
      invalidValue: canary('invalidvalue'),
      malformed: canary('malformed'),
    },
    /** May stand in no refusal; an id leads from the log to an event, and is allowed there. */
    submitted: {
      invoiceId: canary('invoice'),
      key: canary('key'),
      ucc: canary('ucc'),
      userId: canary('user'),
      organizationId: canary('organization'),
      path: canary('path'),
    },
  };
}

/** One request per kind of answer, each carrying whatever canaries it can. */
export function createCanaryCaller(options: {
  demo: Demo;
  tenant: DemoTenant;
  token: string;
  canaries: Canaries;
}) {
  const { demo, tenant, token, canaries } = options;
  const { secret, submitted } = canaries;
  const headers = {
    'x-request-id': secret.requestId,
    'x-canary': secret.header,
    cookie: `session=${secret.cookie}`,
  };
  const person = { email: `${secret.email}@example.com`, name: secret.name };
  const event = (more: object = {}) => purchase(tenant, submitted.invoiceId, more);
  const newUser = { id: submitted.userId, organizationId: submitted.organizationId, ...person };

  type Request = { method?: string; path?: string; as?: string; body?: unknown; with?: object };
  const ask = ({ method = 'POST', path = '', as = token, body, with: more = {} }: Request) =>
    call(`${demo.baseUrl}${path || '/v2/events/purchase-created'}?q=${secret.query}`, {
      method,
      token: as,
      headers: { ...headers, ...more },
      ...(body === undefined ? {} : { body }),
    });

  const first = event({ newUser, ucc: submitted.ucc });
  const keyed = (body: object) => ask({ body, with: { 'idempotency-key': submitted.key } });
  const legacy = (more: object = {}) => ({
    eventName: 'ReferralUpdated',
    payload: { ucc: submitted.ucc, newUserId: submitted.userId, price: 4900, currency: 'EUR' },
    context: {
      event: { trigger: 'invoice-paid', timestamp: '2026-01-01 10:00:00' },
      newUser: person,
      subscription: { invoiceId: `${submitted.invoiceId}2` },
      canaryField: secret.unknownValue,
    },
    ...more,
  });
  const pair = (secretAccessKey: string) => ({
    accessKeyId: tenant.accessKeyId,
    secretAccessKey,
    canaryField: secret.unknownValue,
  });

  const { email, name } = person;
  const details = { firstName: name, lastName: name, fullName: name, email };
  const boot = (body: object) => ask({ path: '/widget/session', body });
  const bootAs = (userId: string) =>
    boot({ token: widgetToken(tenant, userId), productUserDetails: details });

  return {
    async accepted(): Promise<Answer[]> {
      return [
        await ask({ body: event({ newUser }) }),
        await keyed(first),
        await keyed(first),
        await ask({ path: '/events', body: legacy() }),
        await ask({ path: '/token', body: pair(tenant.secretAccessKey) }),
        await bootAs(submitted.userId),
        await ask({ method: 'GET', path: `/widget/campaign-config?ucc=${submitted.ucc}` }),
      ];
    },

    async refused(): Promise<Answer[]> {
      const invalid = Object.fromEntries(
        ['occurredAt', 'currency', 'amount'].map((field) => [field, secret.invalidValue]),
      );
      return [
        // 401, 404, 405
        await ask({ as: secret.wrongToken, body: event({ newUser }) }),
        await ask({ as: secret.wrongToken, path: '/events', body: legacy() }),
        await ask({ path: '/token', body: pair(secret.wrongSecretKey) }),
        await ask({ path: `/v2/events/${submitted.path}`, body: event({ newUser }) }),
        await ask({ path: `/v2/events/%00${submitted.path}`, body: event({ newUser }) }),
        await ask({ path: `/${submitted.path}`, body: event({ newUser }) }),
        await ask({ path: `/events/${submitted.path}`, body: legacy() }),
        await ask({ method: 'GET', path: `/referral-codes/${submitted.ucc}` }),
        await ask({ method: 'PUT', body: event({ newUser }) }),
        // 413, 415, 431
        await ask({ body: { filler: `${secret.malformed} `.repeat(4_000) } }),
        await ask({ body: event({ newUser }), with: { 'content-type': secret.header } }),
        await ask({ body: event({ newUser }), with: { 'x-long': secret.header.repeat(1_000) } }),
        // 400
        await ask({ body: `{"canary": "${secret.malformed}", }` }),
        await ask({ body: `{"${secret.malformed}": 1, "${secret.malformed}": 2}` }),
        await ask({ path: '/events', body: `{"canary": "${secret.malformed}", }` }),
        await ask({ path: '/events', body: legacy({ payload: { price: secret.invalidValue } }) }),
        await ask({
          body: event({ newUser, idempotencyKey: `${submitted.key}2` }),
          with: { 'idempotency-key': submitted.key },
        }),
        // 422
        await ask({ body: event({ newUser, ...invalid, canaryField: secret.unknownValue }) }),
        await ask({ body: event({ newUser: { ...newUser, email: secret.email, age: 3 } }) }),
        await ask({ body: event({ newUser: { ...person, id: `${submitted.userId}\0` } }) }),
        await ask({ body: event({ subscription: { interval: secret.invalidValue } }) }),
        await ask({
          body: event({ newUser }),
          with: { 'idempotency-key': submitted.key.repeat(30) },
        }),
        await ask({
          path: '/token',
          body: { accessKeyId: 3, secretAccessKey: secret.wrongSecretKey },
        }),
        // 409
        await keyed(event({ newUser, amount: 1 })),
        ...(await this.refusedByTheWidget()),
      ];
    },

    /** 401, 422, 400 and 413 of a session, whose body holds token, e-mail and names. */
    async refusedByTheWidget(): Promise<Answer[]> {
      const foreign = { productId: tenant.productId, productSecret: secret.wrongSecretKey };
      const misshapen = { ...details, email: [secret.email], age: secret.invalidValue };
      return [
        await boot({ token: secret.wrongToken, productUserDetails: details }),
        await boot({
          token: widgetToken(foreign, submitted.userId),
          productUserDetails: details,
        }),
        await boot({
          token: widgetToken(tenant, submitted.userId, { claims: { email } }),
          productUserDetails: details,
        }),
        await boot({ token: secret.wrongToken, productUserDetails: misshapen }),
        await ask({ path: '/widget/session', body: `{"token": "${secret.malformed}", }` }),
        await boot({ token: `${secret.malformed} `.repeat(1_000), productUserDetails: details }),
      ];
    },

    /** Keyed, unkeyed and legacy: what fails when the log or the store is away. */
    async duringAnOutage(): Promise<Answer[]> {
      return Promise.all([
        keyed(event({ newUser, ucc: submitted.ucc, amount: 2 })),
        ask({
          body: event({ newUser }),
          with: { 'idempotency-key': `${submitted.key}3` },
        }),
        ask({ body: event({ newUser }) }),
        ask({ path: '/events', body: legacy() }),
        // A user of whom nothing is known yet: there is something to append.
        bootAs(`${submitted.userId}${randomUUID()}`),
      ]);
    },

    lookUp: () => ask({ method: 'GET', path: `/referral-codes/${submitted.ucc}` }),
  };
}
