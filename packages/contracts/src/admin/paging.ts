import { cursorOf } from './cursor.ts';
import { textLike, wholeNumber } from './query-parameters.ts';

/** How many of a list are given at once; {@link defaultLimit} when left out. */
export const limit = wholeNumber(1, 200);
export const defaultLimit = 50;

/** The parameters of every list whose places have two parts. */
export const page = { limit, cursor: cursorOf(2) };

/** A cursor whose meaning only the service that gave it knows. */
export function cursorLike(form: RegExp) {
  return textLike(form, 'the nextCursor of an answer of this list');
}
