import type { IssuanceRecord } from '@tributary/contracts/issuance-record';

/**
 * The body of the new-reward webhook (interface 2.12), byte for byte a function of the issuance:
 * called once per delivery, its result is stored and sent on every attempt.
 *
 * `amount` is a JSON number with exactly the decimals of `credits`. It is written as text, because
 * a float would lose digits and trailing zeros.
 */
export function buildWebhookBody(issuance: IssuanceRecord, issuedAt: Date): Buffer {
  return buildBody('new-reward', issuance, issuedAt);
}

/**
 * The body of a test: as a real one, but of an event type that receivers ignore (6.1 rule 2), and
 * worth nothing for one that does not.
 */
export function buildTestBody(eventId: string, at: Date): Buffer {
  const granted = {
    webhookEventId: eventId,
    rewardId: eventId,
    recipientId: 'webhook-test',
    rewardType: 'credits' as const,
    credits: '0',
  };
  return buildBody('webhook-test', granted, at);
}

function buildBody(
  eventType: 'new-reward' | 'webhook-test',
  granted: Pick<
    IssuanceRecord,
    'webhookEventId' | 'rewardId' | 'recipientId' | 'rewardType' | 'credits'
  >,
  createdAt: Date,
): Buffer {
  const text = JSON.stringify;
  const data =
    `{"rewardId":${text(granted.rewardId)}` +
    `,"productUserId":${text(granted.recipientId)}` +
    `,"rewardType":${text(granted.rewardType)}` +
    `,"reward":{"amount":${jsonNumber(granted.credits)}}}`;
  return Buffer.from(
    `{"version":"1.0.0"` +
      `,"eventType":${text(eventType)}` +
      `,"createdTs":${text(createdAt.toISOString())}` +
      `,"eventId":${text(granted.webhookEventId)}` +
      `,"data":${data}}`,
  );
}

/** JSON allows no leading zeros; decimals stay as they are. */
function jsonNumber(decimal: string): string {
  return decimal.replace(/^0+(?=[0-9])/, '');
}
