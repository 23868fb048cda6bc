import type { AnswerBodyOf } from '@tributary/contracts/admin/admin-route';
import type { replayRoutes } from '@tributary/contracts/admin/replays';

export type Job = AnswerBodyOf<(typeof replayRoutes)['showJob']>;
export type JobProgress = NonNullable<Job['progress']>;

export function hasEnded({ status }: Job): boolean {
  return status === 'done' || status === 'failed' || status === 'cancelled';
}

/** Done, and nothing differs that was compared. */
export function isGood({ status, result }: Job): boolean {
  const { outcome } = (result ?? {}) as { outcome?: string };
  return status === 'done' && outcome !== 'different';
}
