import type { RewardPayload } from './wire-types.ts';

/** A reward to be granted. `amount` is a number of credits and may have decimals. */
export type Reward = {
  /** The same on every retry: grant once for it, for ever. */
  eventId: string;
  rewardId: string;
  productUserId: string;
  amount: number;
  /** The whole body as it came. */
  payload: RewardPayload;
};

export type RewardValidation =
  | { verdict: 'grant'; reward: Reward }
  | { verdict: 'ignored' }
  | { verdict: 'bad'; reason: string };

/**
 * What is to be done with an authenticated body (interface 6.1 rules 2 and 3). What is of another
 * kind is ignored before its fields are validated: nothing is known about the fields of other
 * kinds.
 */
export function validateReward(body: unknown): RewardValidation {
  if (!isObject(body)) return bad('the body is not a JSON object');
  const data = isObject(body['data']) ? body['data'] : {};
  if (body['eventType'] !== 'new-reward') return { verdict: 'ignored' };
  if (data['rewardType'] !== 'credits') return { verdict: 'ignored' };

  const { eventId } = body;
  const { rewardId, productUserId, reward } = data;
  const amount = isObject(reward) ? reward['amount'] : undefined;
  if (!isName(eventId)) return bad('eventId is missing');
  if (!isName(rewardId)) return bad('data.rewardId is missing');
  if (!isName(productUserId)) return bad('data.productUserId is missing');
  if (!Number.isFinite(amount)) return bad('data.reward.amount is not a number');
  const payload = body as unknown as RewardPayload;
  return {
    verdict: 'grant',
    reward: { eventId, rewardId, productUserId, amount: amount as number, payload },
  };
}

function bad(reason: string): RewardValidation {
  return { verdict: 'bad', reason };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
