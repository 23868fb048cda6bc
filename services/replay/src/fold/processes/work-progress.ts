import type { Progress } from '@tributary/contracts/admin/replay-answers';

/** How far the work is, in events and of the whole. */
export type WorkProgress = {
  /** So many records are to be read. */
  reading(records: number): void;
  read(records: number): void;
  /** A phase begins. `events`: of the whole history; `share`: of the work after reading. */
  phase(words: string, of: { tasks: number; events: number; share: number }): void;
  taskDone(): void;
  end(): void;
};

/** Share of reading in the time of a whole run; measured by `npm run bench -- replay`. */
const readingShare = 0.2;

export function createWorkProgress(tell: ((progress: Progress) => void) | undefined): WorkProgress {
  const startedAt = performance.now();
  let phase = {
    words: 'reading the log',
    unit: 'records',
    tasks: 0,
    total: 0,
    share: readingShare,
  };
  let done = 0;
  let before = 0;
  let samples: { at: number; done: number }[] = [];

  function current(): Progress {
    const now = performance.now();
    const count = phase.tasks === 0 ? done : (done / phase.tasks) * phase.total;
    samples = [...samples.filter(({ at }) => now - at < 5_000), { at: now, done: count }];
    const first = samples[0]!;
    const seconds = (now - first.at) / 1_000;
    const within = phase.total === 0 ? 1 : Math.min(1, count / phase.total);
    const whole = before + phase.share * within;
    const elapsed = (now - startedAt) / 1_000;
    return {
      phase: phase.words,
      done: Math.round(count),
      total: phase.total,
      unit: phase.unit,
      ...(seconds > 0.5 && { eventsPerSecond: Math.round((count - first.done) / seconds) }),
      ...(whole > 0.02 && { remainingSeconds: Math.round((elapsed * (1 - whole)) / whole) }),
    };
  }

  const timer = tell && setInterval(() => tell(current()), 500);
  const begin = (next: typeof phase, share: number) => {
    before += share;
    phase = next;
    done = 0;
    samples = [];
  };

  return {
    reading: (records) => begin({ ...phase, total: records }, 0),
    read: (records) => void (done += records),
    phase(words, { tasks, events, share }) {
      const of = share * (1 - readingShare);
      begin({ words, unit: 'events', tasks, total: events, share: of }, phase.share);
    },
    taskDone: () => void (done += 1),
    end() {
      clearInterval(timer);
    },
  };
}
