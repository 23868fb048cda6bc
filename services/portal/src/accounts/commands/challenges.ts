import { randomBytes } from 'node:crypto';
import { equalInConstantTime } from '@tributary/runtime/secrets';
import { useChallenge } from '../db/used-challenges.ts';
import type { Db } from '../db/any-connection.ts';
import { after, challengeMs } from '../domain/durations.ts';
import type { Office } from './office.ts';

type Issuer = Pick<Office, 'clock' | 'digest'>;

/**
 * A text that only this deployment makes, for one purpose and some minutes. It is not kept, so that
 * strangers who ask for thousands fill nothing: what is kept is which ones were answered.
 */
export function newChallenge({ clock, digest }: Issuer, purpose: string): string {
  const until = after(clock.now(), challengeMs).getTime();
  const text = `${until}.${randomBytes(24).toString('base64url')}`;
  return `${text}.${digest(challengeText(purpose, text))}`;
}

/** Whether it was made for this, and its time is not over. */
export function isChallenge({ clock, digest }: Issuer, purpose: string, challenge: string) {
  const until = untilOf(challenge);
  if (until === undefined || until <= clock.now()) return false;
  const end = challenge.lastIndexOf('.');
  const expected = digest(challengeText(purpose, challenge.slice(0, end)));
  return equalInConstantTime(challenge.slice(end + 1), expected);
}

/** True once for each. */
export async function takeChallenge(
  db: Db,
  { clock, digest }: Issuer,
  challenge: string,
): Promise<boolean> {
  const until = untilOf(challenge);
  if (until === undefined) return false;
  return useChallenge(db, digest(`used:${challenge}`), { at: clock.now(), until });
}

function untilOf(challenge: string): Date | undefined {
  const match = /^(\d{10,15})\.[A-Za-z0-9_-]{32}\.[A-Za-z0-9_-]{43}$/.exec(challenge);
  return match === null ? undefined : new Date(Number(match[1]));
}

function challengeText(purpose: string, text: string): string {
  return `challenge:${purpose}:${text}`;
}
