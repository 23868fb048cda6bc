import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../chain/random.ts';
import type { Client } from './client.ts';
import type { Webhook } from './evidence.ts';
import { isAcceptedV2 } from './traffic.ts';

/** So many of each are asked about: enough to meet every kind of reward, and done in seconds. */
const most = { recipients: 15, rewards: 15, events: 10 };
const atATime = 6;
const pageSize = 200;
const [mostTries, retryMs] = [10, 500];

type Listed = { rewardId: string; recipientId: string; open: readonly unknown[] };
type Payload = { data: { rewardId: string; productUserId: string } };
type Page = { rewards: Listed[]; nextCursor: string | null };

/**
 * Has all rewards of every customer listed, and some recipients, rewards and events explained.
 * Owners of codes come first, and rewards of which something is open. The answers are what `client`
 * has written down.
 */
export async function askForExplanations(options: {
  client: Client;
  tenantIds: readonly string[];
  /** What customers have asked before: their events are among it. */
  asked: Client['requests'];
  /** What customers were told of: rewards of it may have no event any more. */
  webhooks: readonly Webhook[];
  /** Events of which nothing is there any more. */
  lost: ReadonlySet<string>;
  random: Random;
}): Promise<void> {
  const { client, tenantIds, asked, webhooks, lost, random } = options;

  /** Again while there is no answer that says anything. */
  async function look(tenantId: string, path: string): Promise<string | undefined> {
    const at = `/api/tenants/${tenantId}/${path}`;
    for (let tries = 1; ; tries += 1) {
      const { outcome, answer } = await client.ask({
        ...{ by: 'operator', tenantId, method: 'GET', path: at },
      });
      if (outcome === 'ok') return answer;
      if (outcome === 'failed' || tries === mostTries) return undefined;
      await delay(retryMs);
    }
  }

  async function listRewards(tenantId: string): Promise<Listed[]> {
    const all: Listed[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const from = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const answer = await look(tenantId, `rewards?limit=${pageSize}${from}`);
      // It is written down what it was instead.
      if (answer === undefined) break;
      const { rewards, nextCursor } = JSON.parse(answer) as Page;
      all.push(...rewards);
      cursor = nextCursor;
    }
    return all;
  }

  for (const tenantId of tenantIds) {
    const rewards = random.shuffle(await listRewards(tenantId));
    const recipients = new Set(rewards.map(({ recipientId }) => recipientId));
    const owners = [...recipients].filter((id) => /\.r\w+$/.test(id));
    const known = new Set(idsOf(rewards));
    const gone = webhooks
      .filter((webhook) => webhook.tenantId === tenantId)
      .map(({ body }) => (JSON.parse(body) as Payload).data)
      .filter(({ rewardId }) => !known.has(rewardId));
    const open = rewards.filter((reward) => reward.open.length > 0);
    const events = random
      .shuffle(asked.filter((request) => isAcceptedV2(request) && request.tenantId === tenantId))
      .map(({ answer = '{}' }) => (JSON.parse(answer) as { eventId: string }).eventId)
      .filter((eventId) => !lost.has(eventId));
    const questions = [
      ...first(most.recipients, [
        ...gone.map(({ productUserId }) => productUserId),
        ...owners,
        ...recipients,
      ]).map((id) => ({ user: id })),
      ...first(most.rewards, [...idsOf(gone), ...idsOf(open), ...idsOf(rewards)]).map((reward) => ({
        reward,
      })),
      ...first(most.events, events).map((event) => ({ event })),
    ].map((question) => `explain?${new URLSearchParams(question).toString()}`);
    while (questions.length > 0) {
      await Promise.all(questions.splice(0, atATime).map((path) => look(tenantId, path)));
    }
  }
}

function idsOf(rewards: readonly { rewardId: string }[]): string[] {
  return rewards.map(({ rewardId }) => rewardId);
}

function first<T>(count: number, items: readonly T[]): T[] {
  return [...new Set(items)].slice(0, count);
}
