import { issuanceCodec } from '@tributary/contracts/issuance-record';
import { recordKey } from '@tributary/contracts/topics';
import { enqueue } from '@tributary/event-log/outbox';
import type { Clock } from '@tributary/runtime/clock';
import type { Logger } from '@tributary/runtime/logger';
import type { Tx } from '@tributary/runtime/postgres';
import { readOpenEntitlements } from './adapters/postgres/entitlements.ts';
import {
  holdLiveGeneration,
  readUnpostedOfRewards,
  recordIssuances,
} from './adapters/postgres/issuances.ts';
import {
  findDueRecipient,
  lockDueRecipients,
  lockRecipients,
  type RecipientRow,
} from './adapters/postgres/recipients.ts';
import { markUndecided } from './adapters/postgres/undecided.ts';
import { recipientName } from './distinct.ts';
import type { Issuance, RecipientKey } from './domain/entitlement.ts';
import { planRelease, type Release } from './domain/plan-release.ts';
import { issuanceFromWire, issuanceToWire } from './domain/wire.ts';
import type { Figures } from './figures.ts';
import { writeChanges } from './write-changes.ts';

/**
 * One release transaction: grants what is entitled and not yet issued, for a batch of recipients.
 *
 * Why a transaction of its own and not the fold's: a fold that grants would make issuances depend
 * on when it ran, a shadow generation folds and must not grant, and holds need a clock that folds
 * must not have. The price is one more hop of a few milliseconds.
 *
 * An issuance is written once: under the recipient's lock, numbered by the issuances that the
 * facts table has (this generation's own count is first made equal to it), with ids derived from
 * reward and number. The right to issue is held to the end, so that a generation that was swapped
 * out is fenced.
 */
export type ReleaseOutcome =
  | { outcome: 'released'; recipients: number; issuances: number }
  | { outcome: 'nothing-due' }
  | { outcome: 'not-live' };

export type ReleaseDue = (tx: Tx) => Promise<ReleaseOutcome>;

const recipientsAtOnce = 100;
const rewardsOfEach = 500;

export function createReleaseDue(options: {
  logger: Logger;
  clock: Clock;
  generation: number;
  topics: { rewards: string; issuances: string };
  figures: Figures;
  plan?: typeof planRelease;
}): ReleaseDue {
  const { logger, clock, generation, topics, figures, plan = planRelease } = options;

  return async function releaseDue(tx) {
    if (!(await holdLiveGeneration(tx, generation))) return { outcome: 'not-live' };
    const locked = await lockSomeDue(tx);
    if (locked.length === 0) return { outcome: 'nothing-due' };
    const recipients = locked.filter((row) => !row.undecided);
    const open = await readOpenEntitlements(tx, recipients, rewardsOfEach);
    const unposted = await readUnpostedOfRewards(
      tx,
      open.map((reward) => reward.rewardId),
    );
    const openOf = Map.groupBy(open, recipientName);
    const factsOf = Map.groupBy(unposted.map(issuanceFromWire), recipientName);
    const issuedAt = clock.now().toISOString();

    const releases: Release[] = [];
    const failed: RecipientKey[] = [];
    for (const { tenantId, recipientId, totals } of recipients) {
      const recipient = { tenantId, recipientId };
      const name = recipientName(recipient);
      const facts = factsOf.get(name) ?? [];
      try {
        releases.push(plan({ recipient, totals, open: openOf.get(name) ?? [], facts, issuedAt }));
      } catch (error) {
        failed.push(recipient);
        logger.error('alert: a release failed; the recipient is undecided', { tenantId, error });
      }
    }
    const issuances = releases.flatMap((release) => release.issuances);
    await recordAndAnnounce(tx, issuances);
    const changes = releases.map((release) => release.change);
    await writeChanges(tx, topics.rewards, changes);
    if (failed.length > 0) {
      await markUndecided(
        tx,
        'internal',
        failed.map((recipient) => ({ ...recipient, businessKeys: [] })),
      );
    }
    figures.released(changes, issuances);
    return { outcome: 'released', recipients: locked.length, issuances: issuances.length };
  };

  async function recordAndAnnounce(tx: Tx, issuances: readonly Issuance[]): Promise<void> {
    const records = issuances.map(issuanceToWire);
    await recordIssuances(tx, records);
    await enqueue(
      tx,
      records.map((record) => ({
        topic: topics.issuances,
        key: recordKey(record.tenantId, record.recipientId),
        value: issuanceCodec.encode(record),
      })),
      'issuance_outbox',
    );
  }
}

/**
 * Workers share the due recipients by skipping those that are locked. A busy recipient may be
 * locked by one fold after another, so when only locked ones are left, one of them is waited for.
 */
async function lockSomeDue(tx: Tx): Promise<RecipientRow[]> {
  const free = await lockDueRecipients(tx, recipientsAtOnce);
  if (free.length > 0) return free;
  const busy = await findDueRecipient(tx);
  if (!busy) return [];
  return lockRecipients(tx, [busy]);
}
