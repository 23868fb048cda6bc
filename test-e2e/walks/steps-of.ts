/** A piece of a page that is run, and what the page says that it prints. */
export type Step = {
  line: number;
  script: string;
  printed: string | undefined;
  /** It only writes a file that the page shows. */
  isFile: boolean;
};

/**
 * A code block of a page, with what its mark says: `<!-- walk: why it is not run -->`. `follows`:
 * nothing but blank lines is between it and the block before.
 */
type Block = {
  line: number;
  language: string;
  text: string;
  mark: string | undefined;
  follows: boolean;
};

/** What `pageOf` found: the steps in their order, and the reasons why blocks are left out. */
export type Walk = { steps: Step[]; left: string[] };

/**
 * The commands of a page. A block `sh` is run as a whole, and a plain or JSON block right behind it
 * is what it prints. In a block whose first line begins with `$ `, each such line is a command and
 * what follows is printed by it; a command goes on while lines end in a backslash or a pipe, and
 * to the end of its here document. A block with the name of a file in a comment on its first line
 * is that file.
 */
export function walkOf(markdown: string): Walk {
  const steps: Step[] = [];
  const left: string[] = [];
  let before: Step | undefined;
  for (const { line, language, text, mark, follows } of blocksOf(markdown)) {
    const file = /^\/\/ ([\w.-]+)\n/.exec(text)?.[1];
    if (mark !== undefined) {
      left.push(mark);
      before = undefined;
    } else if (file !== undefined) {
      steps.push({
        line,
        script: `cat > ${file} <<'END_OF_FILE'\n${text}\nEND_OF_FILE`,
        printed: '',
        isFile: true,
      });
    } else if (language === 'sh') {
      before = { line, script: text, printed: undefined, isFile: false };
      steps.push(before);
    } else if (text.startsWith('$ ')) {
      steps.push(...commandsOf(text, line));
      before = undefined;
    } else if (['', 'json'].includes(language) && before !== undefined && follows) {
      before.printed = text;
      before = undefined;
    }
  }
  return { steps, left };
}

function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  let open: (Block & { indent: string }) | undefined;
  let mark: string | undefined;
  let follows = false;
  markdown.split('\n').forEach((text, index) => {
    const fence = /^(\s*)```(\w*)$/.exec(text);
    if (fence !== null && open === undefined) {
      const [, indent = '', language = ''] = fence;
      open = { line: index + 1, language, text: '', mark, follows, indent };
    } else if (fence !== null && open !== undefined) {
      const { indent: _, ...block } = open;
      blocks.push({ ...block, text: block.text.replace(/\n$/, '') });
      open = mark = undefined;
      follows = true;
    } else if (open !== undefined) {
      open.text += `${text.startsWith(open.indent) ? text.slice(open.indent.length) : text}\n`;
    } else if (text.trim() !== '') {
      mark = /^\s*<!-- walk: (.+) -->$/.exec(text)?.[1];
      follows = false;
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
      steps.push({ line: line + 1 + index, script: row.slice(2), printed: '', isFile: false });
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
