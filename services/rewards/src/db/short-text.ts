/**
 * Sentences about a reward, shortened (decision 64): names that the columns of its row have anyway,
 * and phrases that come again and again, are one character each, from the control characters of
 * Latin-1, which no text of ours has. The first character says by which phrases a text was
 * shortened: those that were once used never change, and none is added to them. Others would be
 * another edition, beside this one.
 */
const edition = '\u0080';
const firstOfPhrases = 0x84;
const firstOfNames = 0x9b;
const reserved = /[\u0080-\u009f]/;
const shortened = /[\u0084-\u009f]/g;

/** Characters that whoever shortens texts may use by itself; they are left as they are. */
export const marks = { endOfPart: '\u0081', endOfList: '\u0082', reference: '\u0083' } as const;

const phrases = [
  'User "',
  '" paid ',
  ' on invoice "',
  '" at ',
  'Code "',
  '" belongs to referrer "',
  '" in campaign "',
  '"; revision ',
  ' applied at that time.',
  'the rule is for purchases',
  'trigger',
  'Rule "',
  '" gives the referrer ',
  '" gives the new user ',
  ' credits',
  ' of what was paid, at ',
  ' for each purchase',
  '; there is room for this',
  'at most ',
  ', in the tier from ',
  ' referred users with a purchase on',
  "of a user's purchases only the first ",
  ' earn; this is one of them',
] as const;

/** Columns of the row that a text is stored in, always in the same order. */
export type Names = readonly (string | null)[];

/** Whether there are characters in it that mean something else once it is shortened. */
export function cannotBeShortened(text: string): boolean {
  return reserved.test(text);
}

/** Takes texts that can be shortened, with marks between them. */
export function shorten(texts: string, names: Names): string {
  let short = texts;
  for (const [i, name] of names.entries()) {
    if (isUsed(name)) short = short.replaceAll(name, String.fromCharCode(firstOfNames + i));
  }
  for (const [i, phrase] of phrases.entries()) {
    short = short.replaceAll(phrase, String.fromCharCode(firstOfPhrases + i));
  }
  return edition + short;
}

/** @throws for what this release cannot read. */
export function lengthen(short: string, names: Names): string {
  if (!short.startsWith(edition)) throw new Error('a text of a reward is of an unknown edition');
  return short.slice(edition.length).replaceAll(shortened, (character) => {
    const code = character.charCodeAt(0);
    const meant = code < firstOfNames ? phrases[code - firstOfPhrases] : names[code - firstOfNames];
    if (typeof meant !== 'string') throw new Error('a text of a reward has an unknown character');
    return meant;
  });
}

function isUsed(name: string | null): name is string {
  return name !== null && name.length > 1 && !reserved.test(name);
}
