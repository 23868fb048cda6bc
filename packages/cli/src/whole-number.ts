import { UsageError } from './failures.ts';

/** @throws {UsageError} */
export function wholeNumberOf(text: string, what: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`${what} must be a whole number from 1, not ${text}.`);
}
