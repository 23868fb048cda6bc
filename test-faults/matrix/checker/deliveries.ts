import { areEqual, creditsOf, issuedOn } from './money.ts';
import type { Evidence, Webhook } from '../evidence.ts';
import { createVerdict, type Verdict } from './verdict.ts';

type Payload = {
  eventId: string;
  data: { rewardId: string; productUserId: string };
};

/**
 * Each issuance has one id of its webhook, under which its customer's endpoint got exactly what was
 * issued and took it, with the same bytes however often it came. Nothing else came.
 */
export function issuancesAreDelivered(evidence: Evidence): Verdict {
  const { verdict, judge, breaks } = createVerdict();
  const arrived = Map.groupBy(evidence.webhooks, ({ body }) => payloadOf(body).eventId);
  const issued = issuedOn(evidence);
  const byIssuance = Map.groupBy(issued, ({ issuanceId }) => issuanceId);
  const byWebhook = Map.groupBy(issued, ({ webhookEventId }) => webhookEventId);
  for (const [issuanceId, records] of byIssuance) {
    const [issuance] = records;
    const webhooks = arrived.get(issuance?.webhookEventId ?? '') ?? [];
    const what = `issuance ${issuanceId} of ${issuance?.tenantId}`;
    if (records.length > 1) judge(`${what} is on the log with ${records.length} contents`);
    else judge(wrongWith(what, issuance, webhooks));
  }
  for (const [eventId, records] of byWebhook) {
    const ids = new Set(records.map(({ issuanceId }) => issuanceId));
    if (ids.size > 1) breaks(`webhook ${eventId} is of ${ids.size} issuances`);
  }
  for (const [eventId, webhooks] of arrived) {
    const [first] = webhooks;
    if (!byWebhook.has(eventId)) breaks(`webhook ${eventId}, ${first?.body}, is of no issuance`);
  }
  return verdict;
}

function wrongWith(
  what: string,
  issuance: ReturnType<typeof issuedOn>[number] | undefined,
  webhooks: readonly Webhook[],
): string | undefined {
  const bodies = new Set(webhooks.map(({ body }) => body));
  const [body] = bodies;
  if (issuance === undefined || body === undefined) return `${what} was never sent`;
  if (bodies.size > 1) return `${what} was sent with ${bodies.size} contents`;
  if (!webhooks.some(({ status }) => status !== undefined && status >= 200 && status < 300)) {
    return `${what} was sent and never taken`;
  }
  const stray = webhooks.find(({ tenantId }) => tenantId !== issuance.tenantId);
  if (stray !== undefined) return `${what} was sent to ${stray.tenantId}`;
  if (webhooks.some(({ authorized }) => !authorized)) return `${what} came without credentials`;
  const { data } = payloadOf(body);
  if (data.rewardId !== issuance.rewardId) return `${what} was sent for reward ${data.rewardId}`;
  if (data.productUserId !== issuance.recipientId) return `${what} was sent for another user`;
  const amount = amountIn(body);
  if (amount === undefined || !areEqual(creditsOf(amount), creditsOf(issuance.credits))) {
    return `${what} is ${issuance.credits} credits, and ${amount} were sent`;
  }
  return undefined;
}

function payloadOf(body: string): Payload {
  return JSON.parse(body) as Payload;
}

/** The digits as they were sent: parsed, they would be a float. Undefined: no plain decimal. */
function amountIn(body: string): string | undefined {
  return /"amount":\s*(-?[0-9]+(?:\.[0-9]+)?)\s*[,}]/.exec(body)?.[1];
}
