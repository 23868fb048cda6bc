import { cursorOf } from './cursor.ts';
import { oneOf, textLike, wholeNumber } from './query-parameters.ts';

/** How many of a list are given at once; {@link defaultLimit} when left out. */
export const limit = wholeNumber(1, 200);
export const defaultLimit = 50;

/** The parameters of every list whose places have two parts. */
export const page = { limit, cursor: cursorOf(2) };

/** Which end of a list comes first; the newest when left out. */
export const order = oneOf('newest', 'oldest');

/** The whole list as a table for spreadsheets; asked for with `Accept: text/csv` as well. */
export const format = oneOf('json', 'csv');

/** A cursor whose meaning only the service that gave it knows. */
export function cursorLike(form: RegExp) {
  return textLike(form, 'the nextCursor of an answer of this list');
}
