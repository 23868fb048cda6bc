import { spreadCells } from '../numbers.ts';
import type { Report, Spread } from '../report.ts';

/** A line of the table of targets. */
export type Target = {
  what: string;
  wanted: string;
  measured: Spread | number;
  digits?: number;
};

export type PartReport = Partial<Omit<Report, 'name'>> & { targets?: readonly Target[] };

export function putTogether(name: string, parts: readonly PartReport[]): Report {
  const targets = parts.flatMap((part) => part.targets ?? []);
  const figures = targets.map(({ what, measured }) => [what, middle(measured)] as const);
  const spreads = targets.flatMap(({ what, measured }) =>
    typeof measured === 'number' ? [] : [[what, measured] as const],
  );
  return {
    name,
    figures: { ...Object.fromEntries(figures), ...merged(parts, 'figures') },
    ratios: merged(parts, 'ratios'),
    spreads: { ...Object.fromEntries(spreads), ...merged(parts, 'spreads') },
    details: merged(parts, 'details'),
    tables: [
      ...(targets.length > 0 ? [targetTable(targets)] : []),
      ...parts.flatMap(({ tables = [] }) => tables),
    ],
    notes: parts.flatMap(({ notes = [] }) => notes),
  };
}

const middle = (measured: Spread | number) =>
  typeof measured === 'number' ? measured : measured.median;

function targetTable(targets: readonly Target[]) {
  return [
    ['targets', 'median', 'least..most', 'wanted'],
    ...targets.map(({ what, wanted, measured, digits = 2 }) => {
      const cells =
        typeof measured === 'number'
          ? [measured.toFixed(digits), '']
          : spreadCells(measured, digits);
      return [what, ...cells, wanted];
    }),
  ];
}

function merged<K extends 'figures' | 'ratios' | 'spreads' | 'details'>(
  parts: readonly PartReport[],
  key: K,
): NonNullable<PartReport[K]> {
  return Object.assign({}, ...parts.map((part) => part[key])) as NonNullable<PartReport[K]>;
}
