/** What a receiver does with an authenticated webhook (interface 6.1 rules 2 and 3). */
export type Judgement =
  { verdict: 'grant'; grant: Grant } | { verdict: 'ignored' } | { verdict: 'bad'; reason: string };

export type Grant = { eventId: string; rewardId: string; productUserId: string; amount: number };

export function judgeWebhook(body: unknown): Judgement {
  if (!isObject(body)) return { verdict: 'bad', reason: 'the body is not a JSON object' };
  if (body['eventType'] !== 'new-reward') return { verdict: 'ignored' };
  const data = isObject(body['data']) ? body['data'] : {};
  if (data['rewardType'] !== undefined && data['rewardType'] !== 'credits') {
    return { verdict: 'ignored' };
  }
  const { eventId } = body;
  const { rewardId, productUserId } = data;
  const amount = isObject(data['reward']) ? data['reward']['amount'] : undefined;
  if (!isName(eventId)) return { verdict: 'bad', reason: 'eventId is missing' };
  if (!isName(rewardId)) return { verdict: 'bad', reason: 'data.rewardId is missing' };
  if (!isName(productUserId)) return { verdict: 'bad', reason: 'data.productUserId is missing' };
  if (typeof amount !== 'number') {
    return { verdict: 'bad', reason: 'data.reward.amount is not a number' };
  }
  return { verdict: 'grant', grant: { eventId, rewardId, productUserId, amount } };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
