import { type Credits, floorCredits } from './credits.ts';
import { shareOf } from './effect.ts';
import { periodOf } from './calendar.ts';
import type { SortKey } from './sort-key.ts';
import type { Limit, Terms } from './terms.ts';

/** What limits and refunds made of a wanted amount. */
export type Grant = {
  /** After all limits. */
  granted: Credits;
  /** After all refunds. */
  entitled: Credits;
  /** The room that was left, for each limit that cut it. */
  rooms: readonly (bigint | undefined)[];
};

/** How much of each limit is used up, by {@link counterName}. */
export type Used = Map<string, bigint>;

export function counterName({ period, measure }: Omit<Limit, 'cap'>, second: number): string {
  return `${period} ${measure} ${periodOf(period, second).start ?? ''}`;
}

/**
 * Grants rewards of one recipient, rule and role in canonical order, beginning with what `used`
 * says. A grant uses up room of all its limits and gets the least of them; a refund gives back what
 * it takes, in the period of the reward, so it serves what comes later only. `used` is changed to
 * what holds in the end.
 */
export function grantInOrder(rewards: readonly Terms[], used: Used): Map<string, Grant> {
  const grants = new Map<string, Grant>();
  for (const event of eventsOf(rewards)) {
    const { terms, refund } = event;
    if (refund === undefined) {
      grants.set(terms.rewardId, grantOne(terms, used));
      continue;
    }
    const grant = grants.get(terms.rewardId);
    if (!grant) continue;
    const entitled = shareOf(grant.granted, refund.left, terms.scale);
    giveBack(terms, used, grant.entitled, entitled);
    grants.set(terms.rewardId, { ...grant, entitled });
  }
  return grants;
}

type Event = { sortKey: SortKey; terms: Terms; refund?: Terms['refunds'][number] };

/** A reward comes before its own refunds; they keep their order. */
function eventsOf(rewards: readonly Terms[]): Event[] {
  const events = rewards.flatMap((terms): Event[] => [
    { sortKey: terms.sortKey, terms },
    ...terms.refunds.map((refund) => ({ sortKey: refund.place, terms, refund })),
  ]);
  return events.sort((a, b) => (a.sortKey < b.sortKey ? -1 : a.sortKey > b.sortKey ? 1 : 0));
}

function grantOne(terms: Terms, used: Used): Grant {
  let granted = terms.wanted;
  const rooms = terms.limits.map((limit) => {
    const room = limit.cap - (used.get(counterName(limit, terms.second)) ?? 0n);
    const most = mostOf(limit, room < 0n ? 0n : room, terms);
    if (granted <= most) return undefined;
    granted = most;
    return room < 0n ? 0n : room;
  });
  if (granted > 0n) {
    for (const limit of terms.limits)
      use(used, counterName(limit, terms.second), amountOf(limit, granted));
  }
  return { granted, entitled: granted, rooms };
}

function mostOf({ measure }: Limit, room: bigint, { wanted, scale }: Terms): Credits {
  if (measure === 'credits') return floorCredits(room, scale);
  return room > 0n ? wanted : 0n;
}

function giveBack(terms: Terms, used: Used, before: Credits, after: Credits): void {
  for (const limit of terms.limits) {
    const freed = amountOf(limit, before) - amountOf(limit, after);
    if (freed !== 0n) use(used, counterName(limit, terms.second), -freed);
  }
}

/** What a reward of so many credits uses of a limit. */
export function amountOf({ measure }: Pick<Limit, 'measure'>, credits: Credits): bigint {
  if (measure === 'credits') return credits;
  return credits > 0n ? 1n : 0n;
}

function use(used: Used, name: string, amount: bigint): void {
  used.set(name, (used.get(name) ?? 0n) + amount);
}
