import { fileURLToPath } from 'node:url';
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

const bootstrap = fileURLToPath(new URL('../../../../deploy/local/bootstrap.mjs', import.meta.url));

const help = `
For this checkout, in ~/.bashrc or ~/.zshrc (zsh: after compinit, and zsh in place of bash):
  alias tributary='node "${bootstrap}" tributary'
  source <(tributary completion bash)
Files are then those of the directory that you are in. Outside of this checkout, say by --url or
TRIBUTARY_LOCAL_STATE_DIR (its .tributary) which system is meant.`;
