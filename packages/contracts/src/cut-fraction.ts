/**
 * A timestamp, or seconds as a decimal, with at most 32 digits of a fraction. A caller may write
 * tens of thousands (interface 2.2 bounds none): they are stored once, as they came, and cut
 * wherever they are copied, so that one request costs what every other does.
 */
export function cutFraction(text: string): string {
  return text.length <= shortest ? text : text.replace(longFraction, '$1');
}

const longFraction = /(\.\d{32})\d+/;
/** The least that can have a longer one. */
const shortest = 34;
