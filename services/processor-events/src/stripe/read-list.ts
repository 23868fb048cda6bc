import { mostStripeParts } from '@tributary/contracts/processor-record';
import type { Refusal, StripeAccount } from './api.ts';
import type { Query, StripeClient } from './client.ts';

/** One page of a list of Stripe's. */
export type Page = { items: unknown[]; more: boolean; lastId: string | undefined };

/** What Stripe gives at once, at most. */
export const pageSize = 100;

/** A list of Stripe's is not one: `detail` says so. */
const noList: Refusal = { outcome: 'later', detail: 'Stripe did not answer with a list.' };

export async function readPage(
  client: StripeClient,
  account: StripeAccount,
  asked: { path: string; query?: Query; after?: string | undefined; limit?: number },
): Promise<({ outcome: 'page' } & Page) | { outcome: 'absent' } | Refusal> {
  const { path, query, after, limit = pageSize } = asked;
  const answer = await client.get(account, path, {
    ...query,
    limit,
    ...(after !== undefined && { starting_after: after }),
  });
  if (answer.outcome !== 'raw') return answer;
  const { data, has_more: more } = (answer.raw ?? {}) as { data?: unknown; has_more?: unknown };
  if (!Array.isArray(data)) return noList;
  const items: unknown[] = data;
  const lastId = textOf(items.at(-1), 'id');
  return { outcome: 'page', items, more: more === true && lastId !== undefined, lastId };
}

/**
 * All items of a list, page by page; of more than a record takes, the first of them. Stripe's lists
 * have no moment of their own: an item that comes while they are read is in it, or in the next
 * reading.
 */
export async function readWholeList(
  client: StripeClient,
  account: StripeAccount,
  asked: { path: string; query?: Query },
): Promise<{ outcome: 'items'; items: unknown[] } | { outcome: 'absent' } | Refusal> {
  const items: unknown[] = [];
  for (let after: string | undefined; ;) {
    const page = await readPage(client, account, { ...asked, after });
    if (page.outcome !== 'page') return page;
    items.push(...page.items);
    if (!page.more || page.lastId === after || items.length >= mostStripeParts) {
      return { outcome: 'items', items: items.slice(0, mostStripeParts) };
    }
    after = page.lastId;
  }
}

/** A member of an object of Stripe's when it is text. */
export function textOf(value: unknown, name: string): string | undefined {
  const found = memberOf(value, name);
  return typeof found === 'string' ? found : undefined;
}

export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Record<string, unknown>)[name];
}
