import type { Shape } from '../cut.ts';
import { createTally, type Tally } from '../tally.ts';
import type { RunPhase } from './tasks.ts';

/**
 * The whole fold as a sequence of phases. Within a phase the tasks know nothing of each other; what
 * they find for others goes through the store.
 *
 * Decisions about a user depend on other users in three ways: a code (anybody's), names of invoices
 * that several users share, and loops of referrals. The first phases find these few things, so that
 * the users can then be folded each by themselves; rewards depend on nothing but the decisions that
 * credit the recipient.
 */
export async function runPhases(run: RunPhase, { shards, buckets }: Shape): Promise<Tally> {
  const eachShard = Array.from({ length: shards }, (_, shard) => ({ shard }));
  const eachBucket = Array.from({ length: buckets }, (_, bucket) => ({ bucket }));

  await run('listOwners', eachBucket);
  await run('scanUsers', eachShard);
  await run('joinNames', eachBucket);
  const [contested] = await run('groupContested', [{}]);
  const { shards: contestedShards, batches } = contested!;
  await run(
    'collectContested',
    contestedShards.map((shard) => ({ shard, batches })),
  );
  await run(
    'settleContested',
    Array.from({ length: batches }, (_, batch) => ({ batch })),
  );
  await run('joinCodes', eachBucket);
  await run('findLoops', eachBucket);

  const tally = createTally();
  for (const part of await run('foldUsers', eachShard)) tally.add(part);
  const refunds = contestedShards.map((shard) => ({ shard }));
  for (const part of await run('foldRefunds', refunds)) tally.add(part);
  for (const part of await run('foldRecipients', eachShard)) tally.add(part);
  return tally.value();
}
