/** Everything a run of the command line takes from the process around it. */
export type ProcessContext = {
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  input: AsyncIterable<Buffer | string>;
  out: (text: string) => void;
  err: (text: string) => void;
  /** Where a person watches; left out when what is printed goes to a file or a program. */
  terminal?: NodeJS.WritableStream;
  /** Calls the listener at the first Ctrl-C; the next one ends the process. Gives the way back. */
  onInterrupt?: (listener: () => void) => () => void;
};
