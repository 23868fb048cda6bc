import type { IssuanceRecord } from '@tributary/contracts/issuance-record';

/**
 * The body of the new-reward webhook (interface 2.12), byte for byte a function of the issuance:
 * called once per delivery, its result is stored and sent on every attempt.
 *
 * `amount` is a JSON number with exactly the decimals of `credits`. It is written as text, because
 * a float would lose digits and trailing zeros.
 */
export function buildWebhookBody(issuance: IssuanceRecord, issuedAt: Date): Buffer {
  const text = JSON.stringify;
  const data =
    `{"rewardId":${text(issuance.rewardId)}` +
    `,"productUserId":${text(issuance.recipientId)}` +
    `,"rewardType":${text(issuance.rewardType)}` +
    `,"reward":{"amount":${jsonNumber(issuance.credits)}}}`;
  return Buffer.from(
    `{"version":"1.0.0"` +
      `,"eventType":"new-reward"` +
      `,"createdTs":${text(issuedAt.toISOString())}` +
      `,"eventId":${text(issuance.webhookEventId)}` +
      `,"data":${data}}`,
  );
}

/** JSON allows no leading zeros; decimals stay as they are. */
function jsonNumber(decimal: string): string {
  return decimal.replace(/^0+(?=[0-9])/, '');
}
