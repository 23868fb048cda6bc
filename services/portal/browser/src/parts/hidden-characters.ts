/** A piece of a text: characters as they are, or one that nobody could see, by its number. */
export type Piece = { text: string } | { mark: string };

/**
 * What changes how a text looks or reads without being seen: controls, marks of direction, and
 * characters without a width. A joiner between two pictures is part of an emoji and stays.
 */
const hidden =
  // eslint-disable-next-line no-control-regex, no-misleading-character-class -- they are looked for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\u3164\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** Blanks at its ends too: two ids may differ in them alone, and a text may be nothing else. */
export function piecesOf(text: string): Piece[] {
  const inner = text.replace(/^\p{Zs}+/u, '');
  const start = text.length - inner.length;
  const end = start + endOf(inner);
  return [
    ...[...text.slice(0, start)].map(markOf),
    ...piecesWithin(text.slice(start, end)),
    ...[...text.slice(end)].map(markOf),
  ];
}

/** Where the blanks at its end begin; a regular expression would look at each run of them anew. */
function endOf(text: string): number {
  let end = text.length;
  while (end > 0 && /\p{Zs}/u.test(text[end - 1]!)) end -= 1;
  return end;
}

function markOf(character: string): Piece {
  return { mark: `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}` };
}

function piecesWithin(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(hidden)) {
    if (found === '\u200d' && joinsPictures(text, index)) continue;
    if (index > end) pieces.push({ text: text.slice(end, index) });
    pieces.push(markOf(found));
    end = index + found.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}

/** The same as one text, for titles and wherever no element can be. */
export function withMarks(text: string): string {
  return asText(piecesOf(text));
}

/** The same for a text of several lines, which stay lines, as far in as they are. */
export function withMarksByLine(text: string): string {
  return text
    .split('\n')
    .map((line) => asText(piecesWithin(line)))
    .join('\n');
}

function asText(pieces: readonly Piece[]): string {
  return pieces.map((piece) => ('text' in piece ? piece.text : `[${piece.mark}]`)).join('');
}

function joinsPictures(text: string, index: number): boolean {
  const before = text.slice(0, index);
  const after = text.slice(index + 1);
  return (
    /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]$/u.test(before) &&
    /^\p{Extended_Pictographic}/u.test(after)
  );
}
