/** A piece of a page that is run, and what the page says that it prints. */
export type Step = { line: number; script: string; printed: string | undefined };

/** A code block of a page, with what its mark says: `<!-- walk: why it is not run -->`. */
type Block = { line: number; language: string; text: string; mark: string | undefined };

/** What `pageOf` found: the steps in their order, and the reasons why blocks are left out. */
export type Walk = { steps: Step[]; left: string[] };

/**
 * The commands of a page. A block `sh` is run as a whole, and the plain or JSON block behind it is
 * what it prints. In a block whose first line begins with `$ `, each such line is a command and
 * what follows is printed by it; a command goes on while lines end in a backslash or a pipe, and
 * to the end of its here document. A block with the name of a file in a comment on its first line
 * is that file.
 */
export function walkOf(markdown: string): Walk {
  const steps: Step[] = [];
  const left: string[] = [];
  let before: Step | undefined;
  for (const { line, language, text, mark } of blocksOf(markdown)) {
    const file = /^\/\/ ([\w.-]+)\n/.exec(text)?.[1];
    if (mark !== undefined) {
      left.push(mark);
      before = undefined;
    } else if (file !== undefined) {
      steps.push({
        line,
        script: `cat > ${file} <<'END_OF_FILE'\n${text}\nEND_OF_FILE`,
        printed: '',
      });
    } else if (language === 'sh') {
      before = { line, script: text, printed: undefined };
      steps.push(before);
    } else if (text.startsWith('$ ')) {
      steps.push(...commandsOf(text, line));
      before = undefined;
    } else if (['', 'json'].includes(language) && before !== undefined) {
      before.printed = text;
      before = undefined;
    }
  }
  return { steps, left };
}

function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  let mark: string | undefined;
  markdown.split('\n').forEach((text, index) => {
    const fence = /^\s*```(\w*)$/.exec(text);
    if (fence !== null && open === undefined) {
      open = { line: index + 1, language: fence[1] ?? '', text: '', mark };
    } else if (fence !== null && open !== undefined) {
      blocks.push({ ...open, text: open.text.replace(/\n$/, '') });
      open = mark = undefined;
    } else if (open !== undefined) {
      open.text += `${text}\n`;
    } else if (text.trim() !== '') {
      mark = /^<!-- walk: (.+) -->$/.exec(text)?.[1];
    }
  });
  return blocks;
}

function commandsOf(text: string, line: number): Step[] {
  const steps: Step[] = [];
  let goesOn = false;
  text.split('\n').forEach((row, index) => {
    const step = steps.at(-1);
    if (row.startsWith('$ ')) {
      steps.push({ line: line + 1 + index, script: row.slice(2), printed: '' });
    } else if (step !== undefined && goesOn) {
      step.script += `\n${row}`;
    } else if (step !== undefined) {
      step.printed += `${row}\n`;
    }
    const last = steps.at(-1)?.script ?? '';
    const opened = /<<(\w+)$/m.exec(last)?.[1];
    const isHeredoc = opened !== undefined && !new RegExp(`^${opened}$`, 'm').test(last);
    goesOn = isHeredoc || /[\\|]$/.test(row);
  });
  return steps;
}
