import { median, type Spread } from './report.ts';

export function spreadOf(rounds: readonly number[]): Spread {
  const odd = rounds.find((value) => !Number.isFinite(value));
  if (rounds.length === 0 || odd !== undefined) {
    throw new Error(`rounds without a figure: ${rounds.join(', ')}`);
  }
  return { median: median(rounds), min: Math.min(...rounds), max: Math.max(...rounds), rounds };
}

/** Median, and least to most, for a table. */
export function spreadCells(spread: Spread, digits = 0): [string, string] {
  const write = (value: number) => value.toFixed(digits);
  return [write(spread.median), `${write(spread.min)}..${write(spread.max)}`];
}

export function sum(parts: Record<string, number>): number {
  return Object.values(parts).reduce((total, part) => total + part, 0);
}
