import type { Answer, Method } from './admin-client.ts';
import type { Progress } from './progress.ts';
import type { JobWatch } from './replay/job-progress.ts';
import type { TargetSystem } from './target-system.ts';

export type AdminRequest = {
  method: Method;
  path: string;
  body?: unknown;
  /** Only asks, although it has a body; every other request but a GET first names the system. */
  storesNothing?: true;
};

/** What a command works with. */
export type CommandContext = {
  /** Sends one request to the admin API, prints the answer, readable or as JSON, and gives it. */
  show(request: AdminRequest, readable: (answer: Answer) => string): Promise<Answer>;
  /** Sends one request to the admin API and gives the answer; prints nothing. */
  call(request: AdminRequest): Promise<Answer>;
  /** Says on the standard error what is about to be changed, for what asks no admin API. */
  nameTarget(system: TargetSystem): void;
  /** Prints the result of a command that is more than one answer, readable or as JSON. */
  print(result: object, readable: string): void;
  /** Prints a line on the way to the result; nothing with --json. */
  say(line: string): void;
  /** Prints text as it is, whatever --json says: what is meant for a file. */
  write(text: string): void;
  /** A bar on a terminal, lines elsewhere; nothing with --json. */
  startProgress(done: string): Progress;
  /** The same for work in phases that goes on elsewhere. */
  watchProgress(): JobWatch;
  /** Hears of the first Ctrl-C in place of being ended by it, until the answer is called. */
  onInterrupt(listener: () => void): () => void;
  /** The text of a file, or of the standard input for `-`. @throws {UsageError} */
  readText(file: string): Promise<string>;
};
