import type { Mutant } from './mutant.ts';

const sliceCommits = 'packages/event-log/src/slice-commits.ts';

/** How records are read, applied once, and followed by others. */
export const processing: readonly Mutant[] = [
  {
    name: 'position-before-rows',
    breaks: 'the position is committed first, and what was read up to it in another transaction',
    ...{ row: 'kill-attribution', promises: [1], file: sliceCommits },
    from: `      await inOneTurn([
        holdFence(tx, advances),
`,
    to: `      await holdFence(tx, advances);
    });
    await inTransaction(pool, async (tx) => {
      await inOneTurn([
`,
  },
  {
    name: 'outbox-in-memory',
    breaks: 'what a transaction wants on the log is kept in memory, and not in the transaction',
    ...{ row: 'kill-attribution', promises: [8, 10] },
    file: 'packages/event-log/src/outbox.ts',
    from: `  const row = await insertRow(tx, table, entries);
  if (row) afterCommit(tx, (pool) => sendCommitted(pool, table, { ...row, entries }));`,
    to: `  const row = { id: '0', written_at: '2026-01-01', certain: true, entries };
  await Promise.resolve();
  afterCommit(tx, (pool) => void setTimeout(() => sendCommitted(pool, table, row), 300));`,
  },
  {
    name: 'poison-dropped',
    breaks: 'a record that breaks its contract is skipped and put nowhere',
    ...{ row: 'poison', promises: [7], file: sliceCommits },
    from: '        enqueue(tx, deadLetters),\n',
    to: '',
  },
  {
    name: 'poison-stops-reading',
    breaks: 'nothing behind a record that breaks its contract is read any more',
    ...{ row: 'poison', promises: [7], hangs: true },
    file: 'packages/event-log/src/read-slice.ts',
    from: `      const { reason, detail } = decoded;
`,
    to: `      const { reason, detail } = decoded;
      if (reading) return { ...reading, stop: { reason: 'undecodable', detail } };
`,
  },
  {
    name: 'older-database-trusted',
    breaks: 'nobody notices that the database is older than it was',
    ...{ row: 'older-postgres', promises: [1, 7, 8, 10], hangs: true },
    file: 'packages/event-log/src/position-watch.ts',
    from: '        return !isBehind;\n',
    to: '        return true;\n',
  },
  {
    name: 'stopped-holds-all',
    breaks: 'who starts again waits for a partition that is stopped until somebody repairs it',
    ...{ row: 'newer-record', promises: [7], file: 'packages/event-log/src/unread-partitions.ts' },
    from: 'unread.some((at) => !stopped.has(at))',
    to: 'unread.length + 0 * stopped.size > 0',
  },
  {
    name: 'newer-is-skipped',
    breaks: 'a record of a newer release that comes first in a batch is skipped',
    ...{ row: 'newer-record', promises: [7], file: 'packages/event-log/src/read-slice.ts' },
    from: "      return upTo({ reason: 'newer', detail });",
    to: "      if (reading.count > 0) return upTo({ reason: 'newer', detail });\n      reading.count += 1;\n      expected = offset + 1n;\n      continue;",
  },
  {
    name: 'cut-log-unnoticed',
    breaks: 'nobody looks whether the record before a position is the one that was applied there',
    ...{ row: 'cut-log', promises: [1, 7, 9], hangs: true },
    file: 'packages/event-log/src/held-partition.ts',
    from: 'if (same) return',
    to: 'if (same || digest !== null) return',
  },
  {
    name: 'revision-of-older-tables',
    breaks:
      'a campaign is changed in tables that lack its last revision, whose number is given again',
    ...{ row: 'older-postgres', promises: [10] },
    file: 'services/portal/src/catalog/commands/change-catalog.ts',
    from: '    if (!(await isCurrent(tx))) throw',
    to: '    if (!(await isCurrent(tx)) && heldUpBy().length > 0) throw',
  },
  {
    name: 'lost-generation-goes-on',
    breaks: 'a generation whose tables lack what it has published is not given up',
    ...{ row: 'older-postgres', promises: [7, 8, 10], hangs: true },
    file: 'packages/generations/src/evaluate-generation.ts',
    from: "    if (reason === undefined) return 'intact';\n",
    to: "    if (reason?.length !== 0) return 'intact';\n",
  },
];
