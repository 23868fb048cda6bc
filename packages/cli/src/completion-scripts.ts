import type { Command } from 'commander';

/** What may follow a command: `words` at any place, `values` after an option that is a choice. */
type Node = {
  path: string;
  words: readonly string[];
  values: readonly { flag: string; words: readonly string[] }[];
};

/** The command lines that exist, from the commands themselves. */
function nodesOf(command: Command, path: string, inherited: readonly string[]): Node[] {
  const flags = command.options.flatMap(({ long }) => (long ? [long] : []));
  const values = command.options.flatMap(({ long, argChoices }) =>
    long && argChoices ? [{ flag: long, words: argChoices }] : [],
  );
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const names = command.commands.map((below) => below.name());
  const words = [...names, ...choices, ...flags, ...inherited, '--help'];
  // The options of the program go with every command, but for its version.
  const below = path === '' ? flags.filter((flag) => flag !== '--version') : inherited;
  return [
    { path, words: [...new Set(words)], values },
    ...command.commands.flatMap((one) => nodesOf(one, `${path} ${one.name()}`.trim(), below)),
  ];
}

export function bashScript(program: Command): string {
  const nodes = nodesOf(program, '', []);
  return `# bash completion of tributary: source <(tributary completion bash)
_tributary() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path='' word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${nodes
        .filter(({ path }) => path !== '')
        .map(({ path }) => `'${path}'`)
        .join('|')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path $previous" in
${nodes.flatMap(valueCases).join('\n')}
    *" "--*-file|*" --file"|*" --scenario"|*" --out"|*" --export") COMPREPLY=(); return ;;
  esac
  case "$path" in
${nodes.map(({ path, words }) => `    '${path}') words='${words.join(' ')}' ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
# Where nothing fits, an argument may be a file: the shell itself knows how to quote its name.
complete -o default -F _tributary tributary`;
}

function valueCases({ path, values }: Node): string[] {
  return values.map(
    ({ flag, words }) =>
      `    '${path} ${flag}') COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$current")); return ;;`,
  );
}

/** zsh runs the same function by its own emulation of bash's completion. */
export function zshScript(program: Command): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${bashScript(program)}`;
}
