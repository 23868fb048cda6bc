import { Type } from '@sinclair/typebox';
import { WebhookEndpointStatus } from '../catalog-record.ts';
import { count, named, nullable, oneOfTexts, text, utc } from './answer-fields.ts';

/** Everything but passwords. */
export const WebhookEndpoint = named(
  'Webhook endpoint',
  Type.Object({
    url: text,
    username: text,
    status: WebhookEndpointStatus,
    reason: Type.Optional(text),
    changedBy: Type.Optional(text),
    changedAt: utc,
    credentialsOverlapUntil: Type.Optional(utc),
  }),
);

export const WebhookStatus = Type.Object({
  endpoint: Type.Optional(WebhookEndpoint),
  breaker: Type.Object({
    state: oneOfTexts('closed', 'open', 'half-open'),
    probeAt: Type.Optional(utc),
    opened: count,
  }),
  failing: Type.Boolean(),
  failingSince: Type.Optional(utc),
  lastSuccessAt: Type.Optional(utc),
  lastFailureAt: Type.Optional(utc),
  lastFailure: Type.Optional(text),
  inFlight: count,
  waiting: Type.Object({ due: count, later: count, exhausted: count, noEndpoint: count }),
  oldestDueSeconds: Type.Number({ minimum: 0 }),
});

/** What an endpoint answered, as far as it is kept. */
const kept = { headers: Type.Array(Type.Tuple([text, text])), body: text, cut: Type.Boolean() };

export const WebhookTest = Type.Object({
  eventId: text,
  delivered: Type.Boolean(),
  result: text,
  statusCode: Type.Optional(Type.Integer()),
  detail: Type.Optional(text),
  durationMs: count,
  answer: Type.Optional(Type.Object({ statusCode: Type.Integer(), ...kept })),
});

export const DeliveryState = oneOfTexts('pending', 'delivered', 'exhausted', 'no-endpoint');

const attempt = {
  attempt: count,
  startedAt: utc,
  result: text,
  statusCode: Type.Optional(Type.Integer()),
  detail: Type.Optional(text),
  durationMs: count,
};

export const Delivery = named(
  'Delivery',
  Type.Object({
    webhookEventId: text,
    issuanceId: text,
    rewardId: text,
    recipientId: text,
    state: DeliveryState,
    attempts: count,
    round: count,
    issuedAt: utc,
    dueAt: Type.Optional(utc),
    finishedAt: Type.Optional(utc),
    lastAttempt: Type.Optional(Type.Object(attempt)),
  }),
);

export const DeliveryDetail = Type.Object({
  delivery: Delivery,
  payload: text,
  attempts: Type.Array(
    Type.Object({
      ...attempt,
      round: count,
      outcome: text,
      answer: Type.Optional(Type.Object(kept)),
    }),
  ),
  resends: Type.Array(Type.Object({ round: count, by: text, note: Type.Optional(text), at: utc })),
});

/** A pending one is due at once; of a finished one this opens the next round. */
export const ResentDelivery = Type.Object({
  webhookEventId: text,
  state: text,
  round: count,
  attempts: count,
});

export const DeliveryPage = Type.Object({
  deliveries: Type.Array(Delivery),
  nextCursor: nullable(text),
});
