import { spooledTopics } from '../cut.ts';
import { readSpooled } from '../store/spooled.ts';
import type { TaskContext } from './task.ts';

/** Places of records that break their contract, by topic. */
export const brokenList = 'broken/0';

/** How many of them are in the cut. */
export function countBroken({ log, cut }: TaskContext): number {
  const inCut = spooledTopics.flatMap((topic) =>
    readSpooled(log, topic, { name: brokenList, cut }).filter(({ key }) => key === topic),
  );
  return inCut.length;
}
