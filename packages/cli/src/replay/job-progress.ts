import cliProgress from 'cli-progress';
import { counted } from './numbers.ts';
import { printable } from '../print.ts';
import type { JobProgress } from './job.ts';

/** How far a job is, as somebody watches it. */
export type JobWatch = {
  at(progress: JobProgress): void;
  /** To be called before anything else is printed. */
  end(): void;
};

/** A bar that a person watches; each phase of the job fills it anew. */
export function createJobBar(terminal: NodeJS.WritableStream): JobWatch {
  const bar = new cliProgress.SingleBar({
    format: (options, { progress }, payload: { job?: JobProgress }) => {
      const { job } = payload;
      if (job === undefined) return '';
      const drawn = cliProgress.Format.BarFormat(progress, options);
      return [job.phase, job.total === undefined ? '' : drawn, ...fields(job)]
        .filter((part) => part !== '')
        .map(printable)
        .join('  ');
    },
    barsize: 24,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    stream: terminal,
    // Ctrl-C is the command's own matter: it says that the job goes on.
    gracefulExit: false,
    clearOnComplete: true,
    linewrap: true,
  });
  let started = false;
  return {
    at(job) {
      const { done, total = Math.max(done, 1) } = job;
      if (!started) bar.start(total, done, { job });
      started = true;
      bar.setTotal(total);
      bar.update(done, { job });
    },
    end: () => bar.stop(),
  };
}

/** The same for a file or a program that reads along: each phase, and each tenth of it. */
export function createJobLines(say: (line: string) => void): JobWatch {
  let last = '';
  return {
    at(job) {
      const { phase, done, total } = job;
      const tenth = total === undefined || total === 0 ? 0 : Math.floor((10 * done) / total);
      if (last === `${phase} ${tenth}`) return;
      last = `${phase} ${tenth}`;
      say(printable([phase, fields(job).join(', ')].filter((part) => part !== '').join(': ')));
    },
    end: () => undefined,
  };
}

function fields(job: JobProgress): string[] {
  const { done, total, unit, eventsPerSecond, remainingSeconds, liveLag } = job;
  // Nothing is left of this phase; what it was is over before anyone could read it.
  if (total === 0) return liveLag === undefined ? [] : [`live ${counted(liveLag)} behind`];
  return [
    ...(total === undefined ? [] : [`${Math.floor((100 * done) / total)} %`]),
    total === undefined ? counted(done, unit) : `${counted(done)} of ${counted(total, unit)}`,
    ...(eventsPerSecond === undefined ? [] : [`${counted(eventsPerSecond)} events/s`]),
    ...(remainingSeconds === undefined ? [] : [`${duration(remainingSeconds)} left`]),
    ...(liveLag === undefined ? [] : [`live ${counted(liveLag)} behind`]),
  ];
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes} min ${whole % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
