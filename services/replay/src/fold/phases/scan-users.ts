import { namesOf } from '@tributary/attribution-fold/fact';
import {
  comparePrecedence,
  isRecovered,
  type Precedence,
  precedenceOf,
} from '@tributary/attribution-fold/precedence';
import type { EventRecord } from '@tributary/contracts/event-record';
import { recordKey } from '@tributary/contracts/topics';
import { isInTime } from '../cut.ts';
import { hashPair, shardOf } from '../store/hash.ts';
import { recordOf } from '../store/spooled.ts';
import { readOwners } from './list-owners.ts';
import { createNameIndex } from './name-index.ts';
import { readEvents } from './read-facts.ts';
import type { ShardTask, TaskContext } from './task.ts';

/**
 * Finds what the users of a shard may share with users of others: the codes on their events, names
 * of invoices, and referrals of users that own a code themselves (loops).
 */
export function scanUsers(context: TaskContext, { shard }: ShardTask): void {
  const { log, store, shape, cut } = context;
  const owners = readOwners(context, shard);
  const codes = new Set<string>();
  const referrals = new Map<string, Map<string, Precedence>>();
  const names = createNameIndex();
  const recovered = new Set<string>();
  for (const entry of readEvents(log, cut, shard)) {
    const event = recordOf<EventRecord>(entry);
    if (!isInTime(cut, event.receivedAt)) continue;
    if (isRecovered(event)) {
      // Copies are the same, but of a recovered signup: a second boot may tell of another link.
      if (recovered.has(event.eventId)) continue;
      recovered.add(event.eventId);
    }
    const code = recordKey(event.tenantId, event.ucc);
    codes.add(code);
    const named = namesOf({ event, businessKey: '' });
    if (named.length > 0) names.add(named.map(hashPair), entry.key, entry.at);
    if (owners.has(entry.key) && event.eventType !== 'purchase-refunded') {
      noteReferral(referrals, { user: entry.key, code }, event);
    }
  }
  for (const code of codes) {
    store.append(`uses/${shardOf(code, shape.buckets)}`, code, String(shard));
  }
  for (const [user, byCode] of referrals) {
    for (const [code, first] of byCode) {
      const reported = JSON.stringify({ user, first });
      store.append(`referrals/${shardOf(code, shape.buckets)}`, code, reported);
    }
  }
  names.write(store, shard, shape.buckets);
}

/** What {@link scanUsers} tells the code's bucket. */
export type NotedReferral = { user: string; first: Precedence };

function noteReferral(
  referrals: Map<string, Map<string, Precedence>>,
  { user, code }: { user: string; code: string },
  event: EventRecord,
): void {
  const byCode = referrals.get(user) ?? new Map<string, Precedence>();
  referrals.set(user, byCode);
  const known = byCode.get(code);
  const precedence = precedenceOf(event);
  if (!known || comparePrecedence(precedence, known) < 0) byCode.set(code, precedence);
}
