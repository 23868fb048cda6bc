import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the jobs of this machine keep what they work on: one directory each. */
export type JobDirs = {
  of(jobId: string): string;
  remove(jobId: string): Promise<void>;
  /** Removes those of jobs that ended elsewhere, or while nobody was here. */
  sweep(listOpen: () => Promise<readonly string[]>): Promise<void>;
};

export function createJobDirs(root: string): JobDirs {
  const jobs = join(root, 'jobs');
  const of = (jobId: string) => join(jobs, jobId);
  const remove = (jobId: string) =>
    // Tried again: children that were killed a moment ago may still have files open.
    rm(of(jobId), { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  return {
    of,
    remove,
    async sweep(listOpen) {
      // What customers reported lies in there for a while.
      await mkdir(jobs, { recursive: true, mode: 0o700 });
      // First the directories: a job that is asked for in between is then not taken for an old one.
      const found = await readdir(jobs);
      const open = new Set(await listOpen());
      for (const jobId of found) if (!open.has(jobId)) await remove(jobId);
    },
  };
}
