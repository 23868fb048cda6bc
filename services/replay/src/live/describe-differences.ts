import { isDeepStrictEqual } from 'node:util';
import type { Difference } from '@tributary/contracts/admin/replay-results';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import {
  decisionDigest,
  type RewardContent,
  rewardDigest,
  type StateLine,
} from '@tributary/contracts/state-item';
import type { InternalClient } from '@tributary/http/internal-client';
import { readLiveItems } from './live-items.ts';
import type { DescribeDifferences, ItemDetail, LineDifference } from '../domain/live-state.ts';

/**
 * Differing items as people read them: what each side says in full and why. The live side is asked
 * now, some time after the snapshot, so an item that has changed since is marked as such.
 */
export function createDescribeDifferences(options: {
  attribution: InternalClient;
  rewards: InternalClient;
}): DescribeDifferences {
  return async ({ generation, differences, replayedItems, signal }) => {
    const eventIds = idsOf(differences, 'decision');
    const rewardIds = idsOf(differences, 'reward');
    const live = await readLiveItems(options, { generation, eventIds, rewardIds, signal });
    const replayed = byId(await replayedItems({ eventIds, rewardIds }));
    return differences.map((difference) => {
      const name = nameOf(difference.live ?? difference.replayed);
      return describe(difference, { live: live.get(name), replayed: replayed.get(name) });
    });
  };
}

type Both = { live: ItemDetail | undefined; replayed: ItemDetail | undefined };

function describe({ live, replayed }: LineDifference, items: Both): Difference {
  const line = live ?? replayed;
  const reported = live && contentOf(live, items.live);
  const told = replayed && contentOf(replayed, items.replayed);
  // Live has no more than a digest: the two digests are shown, and what else both sides tell.
  const folded =
    told && reported && 'digest' in reported ? { ...told, digest: digestOf(replayed) } : told;
  const changedSince = live !== null && live.kind !== 'recipient' && isAnother(live, items.live);
  return {
    kind: line.kind,
    tenantId: line.tenantId,
    id: idOf(line),
    live: reported,
    replayed: folded,
    fields: reported && folded ? differingFields(reported, folded) : [],
    ...(changedSince && { changedSince: true as const }),
    liveExplanation: live ? explain(live, items.live) : [],
    replayedExplanation: replayed ? explain(replayed, items.replayed) : [],
  };
}

/** For a recipient, and for an item that is gone by now, the line is all there is. */
function contentOf(line: StateLine, item: ItemDetail | undefined): Record<string, unknown> {
  const { kind: _, ...own } = line;
  return item ? { ...item.content } : own;
}

/** Told beside it, and not compared. */
const history = new Set(['version', 'schemaVersion', 'state', 'explanation', 'settlement']);

function differingFields(a: Record<string, unknown>, b: Record<string, unknown>): string[] {
  const names = new Set([...Object.keys(a), ...('digest' in a ? [] : Object.keys(b))]);
  return [...names].filter((name) => !history.has(name) && !isDeepStrictEqual(a[name], b[name]));
}

/** A sentence instead of a digest is what a service found wrong with its own row. */
function explain(line: StateLine, item: ItemDetail | undefined): string[] {
  const found = line.kind !== 'recipient' && line.digest.includes(' ') ? [`${line.digest}.`] : [];
  return [...found, ...(item?.explanation ?? [])];
}

function isAnother(line: Exclude<StateLine, { kind: 'recipient' }>, item?: ItemDetail): boolean {
  if (!item) return true;
  if (line.digest.includes(' ') || line.digest === '') return false;
  if (line.kind === 'decision') {
    const { digest } = item.content;
    return (digest ?? decisionDigest(item.content as DecisionRecord)) !== line.digest;
  }
  const reward = item.content as RewardContent & { issued: string };
  return rewardDigest(reward) !== line.digest || reward.issued !== line.issued;
}

function digestOf(line: StateLine): string {
  return line.kind === 'recipient' ? '' : line.digest;
}

function idsOf(differences: readonly LineDifference[], kind: StateLine['kind']): string[] {
  return differences
    .map(({ live, replayed }) => live ?? replayed)
    .filter((line) => line.kind === kind)
    .map(idOf);
}

function idOf(line: StateLine): string {
  if (line.kind === 'decision') return line.eventId;
  return line.kind === 'reward' ? line.rewardId : line.recipientId;
}

function nameOf(line: StateLine): string {
  return `${line.kind} ${idOf(line)}`;
}

function byId(items: readonly ItemDetail[]): Map<string, ItemDetail> {
  return new Map(items.map((item) => [`${item.kind} ${item.id}`, item]));
}
