/**
 * Most of what these specs do is to wait: for leases to end, for a group to notice a death. So
 * those of one lane are prepared at the same time, when the first of them is about to run; each
 * then waits for its own.
 */
const lanes = new Map<string, (() => Promise<void>)[]>();

export function prepareTogether(lane: string, prepare: () => Promise<void>): void {
  const starters = lanes.get(lane) ?? [];
  lanes.set(lane, starters);
  let prepared: Promise<void> | undefined;
  const start = () => {
    prepared ??= prepare();
    // It is the spec's own to fail by it.
    prepared.catch(() => undefined);
    return prepared;
  };
  starters.push(start);
  before(() => {
    for (const startOne of starters) void startOne().catch(() => undefined);
    return start();
  });
}
