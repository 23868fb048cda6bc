/** A count of days or hours as it was typed; what is none stays a text, for the API to refuse. */
export function wholeNumber(text: string): number | string {
  // eslint-disable-next-line no-restricted-syntax -- days or hours, not an amount
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}
