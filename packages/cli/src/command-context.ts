import type { Answer, Method } from './admin-client.ts';

/** What a command works with. */
export type CommandContext = {
  /** Sends one request to the admin API, prints the answer, readable or as JSON, and gives it. */
  show(
    request: { method: Method; path: string; body?: unknown },
    readable: (answer: Answer) => string,
  ): Promise<Answer>;
  /** The text of a file, or of the standard input for `-`. @throws {UsageError} */
  readText(file: string): Promise<string>;
};
