import type { NameShown } from '@tributary/contracts/widget-settings';

/** What is known of a person's name; null or empty: nothing. */
export type KnownName = {
  /** The whole name, in whatever order its language has it. */
  name: string | null;
  firstName: string | null;
  lastName: string | null;
};

/**
 * How a person is named to another one: by their first name, `Ada`, by its initial, `A.`, or not at
 * all. Never by the last name or an e-mail address: where it is not sure which word the first name
 * is, the one that is surely the last name is left out.
 */
export function shownName(known: KnownName | undefined, shown: NameShown): string | undefined {
  if (known === undefined || shown === 'none') return undefined;
  const firstName = firstNameOf(known);
  if (firstName === undefined || shown === 'first-name') return firstName;
  return `${firstLetter(firstName).toLocaleUpperCase('en')}.`;
}

function firstNameOf(known: KnownName): string | undefined {
  const given = tidy(known.firstName);
  return personal(given !== '' ? given : firstWord(tidy(known.name), tidy(known.lastName)));
}

/** `Ada Lovelace`, `Lovelace, Ada`, and `Lovelace Ada` where the last name is known. */
function firstWord(name: string, lastName: string): string {
  const comma = name.indexOf(',');
  const ordered = comma === -1 ? name : `${name.slice(comma + 1)} ${name.slice(0, comma)}`;
  const words = ordered.split(' ').filter((word) => word !== '');
  const last = lastName.toLowerCase().split(' ');
  return words.find((word) => !last.includes(word.toLowerCase())) ?? '';
}

/** One line without what would turn the text around it: control characters, marks of direction. */
function tidy(text: string | null): string {
  const plain = (text ?? '').replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, ' ');
  return plain.replace(/\s+/g, ' ').trim();
}

/** Some systems keep the e-mail address where the name should be. */
function personal(name: string): string | undefined {
  return name === '' || name.includes('@') ? undefined : name;
}

/** As people see letters: an accent or a joined sign stays with its base. */
function firstLetter(name: string): string {
  for (const { segment } of graphemes.segment(name)) return segment;
  return '';
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
