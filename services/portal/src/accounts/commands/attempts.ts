import { countAttempt } from '../db/sign-in-failures.ts';
import { after, failuresMs, failuresOfAccount, failuresOfAddress } from '../domain/durations.ts';
import type { Office } from './office.ts';

export type TooMany = { outcome: 'too-many'; retryAfterSeconds: number };
/** Keyed digests of what attempts are counted by. */
export type Subjects = { account?: string; address: string };

/**
 * Counts an attempt before it is looked at, so that many at once are no more than many in a row.
 * Whose attempts count together: those of one name, where there is one, and all of one network.
 */
export async function beginAttempt(
  { pool, clock, digest }: Office,
  { name, network }: { name?: string; network: string },
): Promise<{ subjects: Subjects; tooMany: TooMany | undefined }> {
  const at = clock.now();
  const subjects = {
    ...(name !== undefined && { account: digest(`attempts-of-account:${name}`) }),
    address: digest(`attempts-from-address:${network}`),
  };
  const counted = await countAttempt(pool, Object.values(subjects), at, after(at, failuresMs));
  const until = counted
    .filter(({ subject, failures }) => {
      return failures > (subject === subjects.address ? failuresOfAddress : failuresOfAccount);
    })
    .map((over) => over.until.getTime());
  if (until.length === 0) return { subjects, tooMany: undefined };
  const retryAfterSeconds = Math.ceil((Math.max(...until) - at.getTime()) / 1_000);
  return { subjects, tooMany: { outcome: 'too-many', retryAfterSeconds } };
}
