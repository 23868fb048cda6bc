// The form of comments, as pure functions: what is wrong with one, and how it is wrapped.

/** Lines of code and comments alike; prettier keeps code to it and leaves comments alone. */
export const widestLine = 100;

/** A comment begins as a sentence about the code does. */
export function opensWithOf(lines: readonly string[]): boolean {
  return /^Of /.test(lines.find((line) => line !== '') ?? '');
}

/** The texts of a block comment's lines, without stars; `/** x *\/` has one. */
export function linesOfBlock(value: string): string[] {
  const lines = value.replace(/^\*/, '').split('\n');
  const texts = lines.map((line, i) => (i === 0 ? line : line.replace(/^\s*\*/, '')));
  return texts.map((text) => text.replace(/^ /, '').trimEnd());
}

export function blockOf(open: string, lines: readonly string[], indent: string): string {
  const from = lines.findIndex((line) => line !== '');
  const to = lines.findLastIndex((line) => line !== '') + 1;
  const [only = '', ...more] = lines.slice(Math.max(from, 0), to);
  const oneLine = `${open} ${only} */`;
  if (more.length === 0 && indent.length + oneLine.length <= widestLine) return oneLine;
  const inner = [only, ...more].map((line) => `${indent} * ${line}`.trimEnd());
  return [open, ...inner, `${indent} */`].join('\n');
}

/**
 * Wraps every paragraph and item that has a line wider than `width`; all others stay as they are.
 */
export function wrap(lines: readonly string[], width: number): string[] {
  return paragraphsOf(lines).flatMap((paragraph) => {
    const isWide = paragraph.lines.some((line) => line.length > width);
    return isWide && paragraph.isProse ? filled(paragraph, width) : paragraph.lines;
  });
}

type Paragraph = { lines: string[]; hanging: string; isProse: boolean };

/** A picture, a table or an example: its lines and blanks mean something. */
const drawn = /[│─┌┐└┘├┤▲▼▶◀═]|\S {2,}\S|^\s*\||^ {3,}\S/;

function paragraphsOf(lines: readonly string[]): Paragraph[] {
  const paragraphs: Paragraph[] = [];
  let open: Paragraph | undefined;
  for (const line of lines) {
    const marker = /^(\s*)(?:[-*•]|\d+\.)\s+/.exec(line);
    const isProse = !drawn.test(line) || marker !== null;
    const hanging = marker === null ? '' : ' '.repeat(marker[0].length);
    const continues =
      open !== undefined && marker === null && !/^@\w/.test(line) && goesOn(open, line);
    if (line === '') open = undefined;
    if (open !== undefined && continues) open.lines.push(line);
    else {
      const paragraph = { lines: [line], hanging, isProse: isProse && line !== '' };
      paragraphs.push(paragraph);
      open = line === '' ? undefined : paragraph;
    }
  }
  return paragraphs;
}

function goesOn({ hanging, isProse }: Paragraph, line: string): boolean {
  if (!isProse) return drawn.test(line);
  const indent = /^\s*/.exec(line)?.[0] ?? '';
  return indent === hanging && !drawn.test(line.slice(indent.length));
}

function filled({ lines, hanging }: Paragraph, width: number): string[] {
  const lead = hanging === '' ? '' : (lines[0] ?? '').slice(0, hanging.length);
  const words = wordsOf(lines.join(' ').slice(lead.length));
  const wrapped: string[] = [];
  let line = lead;
  let isEmpty = true;
  for (const word of words) {
    const longer = isEmpty ? line + word : `${line} ${word}`;
    if (isEmpty || longer.length <= width) line = longer;
    else {
      wrapped.push(line);
      line = hanging + word;
    }
    isEmpty = false;
  }
  return [...wrapped, line];
}

/** Short code in backticks, and `{@link …}`, are not broken. */
function wordsOf(text: string): string[] {
  const words = text.match(/(?:[^\s`{]|`[^`]*`|\{@[^}]*\}|[`{])+/g) ?? [];
  return words.flatMap((word) => (word.length > 60 ? word.split(' ') : [word]));
}
