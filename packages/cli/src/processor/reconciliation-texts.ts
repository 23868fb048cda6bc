import { printable, table } from '../print.ts';
import { type Finding, isKnown, type Reconciliation } from './reconciliation.ts';

/** More are in the JSON. */
const shownFindings = 50;
const shownDifferences = 20;

export function describeReconciliation(result: Reconciliation): string {
  const { kinds, since, scanned, appended, finished, findings } = result;
  // What is known here is a list of its own; what nobody explains comes first.
  const sorted = [...findings.filter((one) => !isKnown(one)), ...findings.filter(isKnown)];
  const shown = sorted.slice(0, shownFindings);
  return [
    `Stripe has ${scanned} ${scanned === 1 ? 'object' : 'objects'} of ${listed(kinds)} since ${since}.`,
    ...(finished ? [] : ['Ended before all was walked; what is below is of the newest ones.']),
    ...(shown.length === 0 ? [] : [table(columns, shown.map(toRow))]),
    ...(sorted.length > shown.length
      ? [`and ${sorted.length - shown.length} more: --json prints all`]
      : []),
    ...differenceLines(findings),
    ...sums(findings),
    ...(appended === 0
      ? []
      : [`${appended} appended; what came of them: tributary processor items`]),
  ]
    .map((line) => line.split('\n').map(printable).join('\n'))
    .join('\n');
}

const columns = [
  ...['finding', 'type', 'objectId', 'state', 'reason', 'occurredAt', 'amount', 'currency'],
];

function toRow({ state, appended, ...finding }: Finding): Record<string, unknown> {
  return { ...finding, state: appended === true ? 'appended' : state };
}

function listed(items: readonly string[]): string {
  const last = items.at(-1) ?? '';
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} and ${last}`;
}

function differenceLines(findings: readonly Finding[]): string[] {
  return findings
    .filter(({ differences, detail }) => (differences ?? detail) !== undefined)
    .slice(0, shownDifferences)
    .flatMap(({ objectId, differences = [], detail }) => [
      ...differences.map(
        ({ pointer, ours, wanted }) =>
          `  ${objectId} ${pointer}: ${printable(ours)} here, ${printable(wanted)} at Stripe`,
      ),
      ...(detail === undefined ? [] : [`  ${objectId}: ${printable(detail)}`]),
    ]);
}

function sums(findings: readonly Finding[]): string[] {
  if (findings.length === 0) return ['Nothing is missing, different or extra.'];
  const count = (kind: Finding['finding']) =>
    findings.filter(({ finding }) => finding === kind).length;
  const known = [...countReasons(findings.filter(isKnown))]
    .map(([why, ones]) => `${ones} ${why}`)
    .join(', ');
  return [
    `${count('missing')} missing${known === '' ? '' : ` (of which ${known})`}, ` +
      `${count('different')} different, ${count('extra')} extra.`,
  ];
}

function countReasons(findings: readonly Finding[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { state = '', reason } of findings) {
    const why = typeof reason === 'string' ? `${state} ${reason}` : state;
    counts.set(why, (counts.get(why) ?? 0) + 1);
  }
  return counts;
}
