import cliProgress from 'cli-progress';
import { printable } from './print.ts';

/** How far something with many steps has come. */
export type Progress = {
  at(done: number, left: number): void;
  /** To be called before anything else is printed. */
  end(): void;
};

/** A bar that a person watches. `done`: what was done to each, as in "recovered". */
export function createBar(terminal: NodeJS.WritableStream, done: string): Progress {
  const bar = new cliProgress.SingleBar({
    format: `{bar} {percentage} %  {value} of {total} ${done}`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    stream: terminal,
    // Ctrl-C is the command's own matter: it says how far it came.
    gracefulExit: false,
    // The result is said by the command, and the bar would stay above it.
    clearOnComplete: true,
  });
  let started = false;
  return {
    at(count, left) {
      if (!started) bar.start(count + left, count);
      started = true;
      bar.setTotal(count + left);
      bar.update(count);
    },
    end: () => bar.stop(),
  };
}

/** The same for a file or a program that reads along. */
export function createProgressLines(say: (line: string) => void, done: string): Progress {
  return {
    at: (count, left) => say(printable(`${count} ${done}, ${left} left`)),
    end: () => undefined,
  };
}
