import type { Command } from 'commander';

/** A command that must have been added before. */
export function commandNamed(program: Command, name: string): Command {
  const found = program.commands.find((command) => command.name() === name);
  if (found === undefined) throw new Error(`there is no command ${name} yet`);
  return found;
}
