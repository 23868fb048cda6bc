import { figures } from './figures.ts';
import { type Load, needsOf } from './model.ts';

/** The loads that docs/scale.md has columns for. */
const loads: readonly (Load & { name: string })[] = [
  { name: '100/s, 10⁷ facts', perSecond: 100, facts: 1e7 },
  { name: '1,000/s, 10⁸ facts', perSecond: 1_000, facts: 1e8 },
  { name: '10,000/s, 10⁹ facts', perSecond: 10_000, facts: 1e9 },
];

/** Puts the two tables in place of the lines `<!-- figures -->` and `<!-- needs -->`. */
export function renderScale(template: string): string {
  const figureRows = Object.entries(figures).map(([name, { value, is, source }]) => [
    `\`${name}\``,
    number(value),
    is,
    source,
  ]);
  const needs = loads.map((load) => needsOf(load));
  const needRows = needs[0]!.map(({ what, unit, from }, n) => [
    what,
    ...needs.map((column) => `${number(column[n]!.value)} ${unit}`),
    from,
  ]);
  return template
    .replace('<!-- figures -->', table(['Figure', 'Value', 'Is', 'From'], figureRows))
    .replace('<!-- needs -->', table(['Need', ...loads.map(({ name }) => name), 'By'], needRows));
}

/** Two digits mean something, or all before the point; the figures are no more exact than that. */
function number(value: number): string {
  const rounded = value >= 10 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 2 };
  return value.toLocaleString('en-US', rounded);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, n) => Math.max(...all.map((row) => [...row[n]!].length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, n) => cell + ' '.repeat(widths[n]! - [...cell].length)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}
