import { type Command, InvalidArgumentError } from 'commander';

/** Who asks for it, and why: kept with the operator action. */
export type ByWhom = { by?: string | undefined; note?: string | undefined };

/** The flags that every operator action has. */
export function withByWhom(command: Command): Command {
  return withBy(withTenant(command)).option('--note <text>', 'why; kept with it');
}

/** Whoever has a token of their own is who asks, and gives no name. */
export function withBy(command: Command): Command {
  const meaning = 'who asks, kept with it; with the bootstrap token only';
  return command.option('--by <name>', meaning, notEmpty);
}

export function byWhomOf({ by, note }: ByWhom): ByWhom {
  return { by, note };
}

export function withTenant(command: Command): Command {
  return command.requiredOption('--tenant <id>', 'the tenant', notEmpty);
}

/** The flags of every list that is given in pages. */
export function withPage(command: Command): Command {
  return command
    .option('--limit <number>', 'how many at most; 50 when left out')
    .option('--cursor <text>', 'goes on where an earlier list ended');
}

export function notEmpty(text: string): string {
  if (text === '') throw new InvalidArgumentError('It is empty.');
  return text;
}
