import { Argument, type Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { bashScript, zshScript } from '../completion-scripts.ts';
import { commandNamed } from './command-named.ts';

const scripts = { bash: bashScript, zsh: zshScript };

export function addCompletionCommand(program: Command, { write }: CommandContext): void {
  commandNamed(program, 'completion')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(scripts)))
    .addHelpText('after', help)
    .action((shell: keyof typeof scripts) => write(scripts[shell](program)));
}

const help = `
For this checkout, in ~/.bashrc or ~/.zshrc (zsh: after compinit):
  alias tributary='npm run --silent --prefix /path/to/checkout tributary --'
  source <(tributary completion bash)`;
