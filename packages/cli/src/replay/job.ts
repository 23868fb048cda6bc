/** What the admin API tells of a job, as far as it is printed. */
export type Job = {
  jobId: string;
  kind: string;
  params: Record<string, unknown>;
  by: string;
  status: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  progress?: JobProgress;
  result?: unknown;
  error?: string;
  createdAt: string;
  startedAt?: string;
  endedAt?: string;
  attempts: number;
  history?: { at: string; line: string }[];
};

export type JobProgress = {
  phase: string;
  done: number;
  total?: number;
  unit: string;
  eventsPerSecond?: number;
  remainingSeconds?: number;
  liveLag?: number;
};

export function hasEnded({ status }: Job): boolean {
  return status === 'done' || status === 'failed' || status === 'cancelled';
}

/** Done, and nothing differs that was compared. */
export function isGood({ status, result }: Job): boolean {
  const { outcome } = (result ?? {}) as { outcome?: string };
  return status === 'done' && outcome !== 'different';
}
