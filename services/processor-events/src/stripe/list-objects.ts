import type { StripeRefund } from '@tributary/contracts/processor-record';
import { membersOf, WrongShape } from '../domain/members.ts';
import { readRefund } from '../domain/read-charge.ts';
import { readFetched } from '../domain/read-object.ts';
import type { Listed, ListKind, ListOutcome, StripeAccount } from './api.ts';
import type { Query, StripeClient } from './client.ts';
import { memberOf, readPage, textOf } from './read-list.ts';

type Asked = { kind: ListKind; createdSince: number; cursor?: string; limit: number };

/**
 * One page of what an account has, the newest first; the cursor is the id of the last one. Sessions
 * were not always to be filtered by Stripe: they are read until one is older than what is asked
 * for.
 */
export async function listObjects(
  client: StripeClient,
  account: StripeAccount,
  { kind, createdSince, cursor, limit }: Asked,
): Promise<ListOutcome> {
  const { path, query } = questions[kind](createdSince);
  const page = await readPage(client, account, { path, query, after: cursor, limit });
  if (page.outcome === 'absent') {
    return { outcome: 'refused', detail: 'Stripe does not have the object that the cursor names.' };
  }
  if (page.outcome !== 'page') return page;
  const found = page.items.map((raw) => ({ raw, createdAt: createdAtOf(raw) }));
  const wanted = found.filter(({ raw, createdAt }) => createdAt >= createdSince && isOf(kind, raw));
  const reachedSince = found.some(({ createdAt }) => createdAt < createdSince);
  return {
    outcome: 'page',
    listed: wanted.map(({ raw, createdAt }) => listedOf(kind, raw, createdAt)),
    nextCursor: page.more && !reachedSince ? (page.lastId ?? null) : null,
  };
}

const questions: Record<ListKind, (since: number) => { path: string; query: Query }> = {
  invoices: (since) => ({ path: 'invoices', query: { status: 'paid', 'created[gte]': since } }),
  sessions: () => ({ path: 'checkout/sessions', query: {} }),
  refunds: (since) => ({
    path: 'refunds',
    query: { 'created[gte]': since, 'expand[]': 'data.charge' },
  }),
};

function isOf(kind: ListKind, raw: unknown): boolean {
  return kind !== 'sessions' || memberOf(raw, 'status') === 'complete';
}

function listedOf(kind: ListKind, raw: unknown, createdAt: number): Listed {
  const id = textOf(raw, 'id') ?? '';
  switch (kind) {
    case 'invoices': {
      const object = readable('invoice', id, raw);
      return { kind, id, createdAt, object: object?.object === 'invoice' ? object : null };
    }
    case 'sessions': {
      const object = readable('checkout-session', id, raw);
      return { kind, id, createdAt, object: object?.object === 'checkout-session' ? object : null };
    }
    case 'refunds': {
      const charge = memberOf(raw, 'charge');
      const object = readable('charge', textOf(charge, 'id') ?? '', charge);
      return {
        ...{ kind, id, createdAt, object: refundOf(raw) },
        charge: object?.object === 'charge' ? object : null,
      };
    }
    default:
      return kind satisfies never;
  }
}

function readable(type: 'invoice' | 'checkout-session' | 'charge', id: string, raw: unknown) {
  if (id === '') return undefined;
  const read = readFetched(type, id, raw);
  return read.outcome === 'object' ? read.object : undefined;
}

function refundOf(raw: unknown): StripeRefund | null {
  try {
    return readRefund(membersOf(raw));
  } catch (error) {
    if (error instanceof WrongShape) return null;
    throw error;
  }
}

/** Seconds; of an object without it, that it is listed and found not readable. */
function createdAtOf(raw: unknown): number {
  const created = memberOf(raw, 'created');
  return typeof created === 'number' ? created : Number.MAX_SAFE_INTEGER;
}
