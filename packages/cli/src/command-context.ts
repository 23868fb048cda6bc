import type { Answer, Method } from './admin-client.ts';

/** What a command works with. */
export type CommandContext = {
  /** Sends one request to the admin API and prints the answer, readable or as JSON. */
  show(
    request: { method: Method; path: string; body?: unknown },
    readable: (answer: Answer) => string,
  ): Promise<void>;
  /** The text of a file, or of the standard input for `-`. @throws {UsageError} */
  readText(file: string): Promise<string>;
};
