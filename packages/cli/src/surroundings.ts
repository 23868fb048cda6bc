/** Everything a run of the command line takes from the process around it. */
export type Surroundings = {
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  input: AsyncIterable<Buffer | string>;
  out: (text: string) => void;
  err: (text: string) => void;
};
