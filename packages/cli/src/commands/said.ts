import { type Command, InvalidArgumentError } from 'commander';

/** Who says so, and why: kept with what an operator does. */
export type Said = { by: string; note?: string };

/** The flags that every word of an operator has. */
export function withSaid(command: Command): Command {
  return command
    .requiredOption('--tenant <id>', 'the tenant', notEmpty)
    .requiredOption('--by <name>', 'who says so; kept with it', notEmpty)
    .option('--note <text>', 'why; kept with it');
}

export function saidOf({ by, note }: Said): Said {
  return { by, ...(note !== undefined && { note }) };
}

export function notEmpty(text: string): string {
  if (text === '') throw new InvalidArgumentError('It is empty.');
  return text;
}
