import type {
  AdminRoute,
  AnswerBodyOf,
  ParamsOf,
  SentBodyOf,
} from '@tributary/contracts/admin/admin-route';
import type { Answer, JsonText } from './admin-client.ts';
import type { Progress } from './progress.ts';
import type { JobWatch } from './replay/job-progress.ts';
import type { Connection, Place } from './connection.ts';
import type { TargetSystem } from './target-system.ts';

/** One declared request, with what was said on the command line in its places. */
export type AdminRequest<R extends AdminRoute = AdminRoute> = {
  route: R;
  params: ParamsOf<R>;
  /** What is undefined is left out. */
  query?: Readonly<Record<string, string | undefined>>;
  body?: Written<SentBodyOf<R>> | JsonText;
};

/**
 * Words and numbers as somebody writes them: the portal validates, and says what they must be. What
 * is undefined is left out.
 */
type Written<T> = T extends string
  ? string
  : T extends number
    ? number | string
    : T extends readonly (infer Item)[]
      ? readonly Written<Item>[]
      : T extends object
        ? { [M in keyof T]: Written<T[M]> | (object extends Pick<T, M> ? undefined : never) }
        : T;

export type AnswerTo<R extends AdminRoute> = Answer<AnswerBodyOf<R>>;

/** What a command works with. */
export type CommandContext = {
  /** Sends one request to the admin API, prints the answer, readable or as JSON, and gives it. */
  show<const R extends AdminRoute>(
    request: AdminRequest<R>,
    readable: (answer: AnswerTo<R>) => string,
  ): Promise<AnswerTo<R>>;
  /** Sends one request to the admin API and gives the answer; prints nothing. */
  call<const R extends AdminRoute>(request: AdminRequest<R>): Promise<AnswerTo<R>>;
  /** Says on the standard error what is about to be changed, for what asks no admin API. */
  nameTarget(system: TargetSystem): void;
  /** Prints the result of a command that is more than one answer, readable or as JSON. */
  print(result: object, readable: string): void;
  /** Prints one line of a result that has no end, or the value as a line of JSON. */
  printLine(value: object, readable: string): void;
  /** A remark on the standard error, which is no part of the result. */
  warn(line: string): void;
  /** Where the system is, for what needs no token of its admin API. */
  locate(): Promise<Place>;
  /** Where the admin API is, for what is no request to it. */
  connect(): Promise<Connection>;
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
