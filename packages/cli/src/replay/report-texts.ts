import type {
  BeforeAfter,
  Counts,
  LargeChange,
  Report,
} from '@tributary/contracts/admin/replay-results';
import { printable, table } from '../print.ts';
import { change, counted, credits } from './numbers.ts';

export function isReport(result: unknown): result is Report {
  if (typeof result !== 'object' || result === null) return false;
  return ['previewId', 'counts', 'byRule', 'largest'].every((member) => member in result);
}

export function describeReport(report: Report): string {
  const { counts, facts } = report;
  return [
    heading(report),
    `  ${counted(facts, 'events')}; rewards: ${counted(counts.unchanged, 'unchanged')}, ` +
      `${counted(counts.new, 'new')}, ${counted(counts.withdrawn, 'withdrawn')}, ` +
      `${counted(counts.changed, 'changed')}; ${counted(counts.toReview, 'to review')}`,
    describeCredits(report.credits),
    ...section('By rule', ['campaignId', 'ruleId', 'role'], report.byRule),
    ...section('By month', ['month'], report.byMonth),
    ...describeReferrers(report),
    ...describeLargest(report.largest),
    '',
    ...nextSteps(report),
  ].join('\n');
}

function heading(report: Report) {
  const { previewId, tenantId, campaignId, draftRevision, until, generation } = report;
  const whose = tenantId === undefined ? 'all tenants' : `tenant ${tenantId}`;
  if (until !== undefined) return printable(`State of ${whose} as of ${until}, beside that of now`);
  if (campaignId === undefined && isOfOtherRules(report)) {
    const { foldVersion, liveFoldVersion } = report;
    return printable(
      `Preview ${previewId}: ${whose} by fold version ${foldVersion}; ` +
        `generation ${generation}, which is live, folds by version ${liveFoldVersion}`,
    );
  }
  if (campaignId === undefined) {
    return printable(`Difference of ${whose}, generation ${generation} to what the log gives`);
  }
  return printable(
    `Preview ${previewId}: campaign ${campaignId} of ${whose} with revision ${draftRevision}`,
  );
}

function isOfOtherRules({ foldVersion, liveFoldVersion }: Report): boolean {
  return foldVersion !== undefined && foldVersion !== liveFoldVersion;
}

function describeCredits(sums: Report['credits']): string {
  return (
    `  credits: ${credits(sums.before)} → ${credits(sums.after)} ` +
    `(${change(sums.before, sums.after)}): new ${credits(sums.new)}, ` +
    `withdrawn ${credits(sums.withdrawn)}, more ${credits(sums.increased)}, less ${credits(sums.decreased)}`
  );
}

function section<R extends BeforeAfter & { counts: Counts }>(
  title: string,
  columns: readonly (keyof R & string)[],
  rows: readonly R[],
): string[] {
  if (rows.length === 0) return [];
  const shown = rows.map(({ counts, ...row }) => ({
    ...row,
    ...{ new: counts.new, withdrawn: counts.withdrawn, changed: counts.changed },
    ...sumsOf(row as unknown as BeforeAfter),
  }));
  return ['', title, table([...columns, 'new', 'withdrawn', 'changed', ...sumColumns], shown)];
}

const sumColumns = ['before', 'after', 'difference'];

function sumsOf({ before, after }: BeforeAfter) {
  return { before: credits(before), after: credits(after), difference: change(before, after) };
}

const shownReferrers = 20;

function describeReferrers({ byReferrer, referrers }: Report): string[] {
  if (byReferrer.length === 0) return [];
  const rows = byReferrer.slice(0, shownReferrers).map((row) => ({ ...row, ...sumsOf(row) }));
  const title =
    referrers > rows.length
      ? `By referrer, the ${rows.length} largest of ${counted(referrers)}`
      : 'By referrer';
  return ['', title, table(['recipientId', ...sumColumns], rows)];
}

function describeLargest(largest: readonly LargeChange[]): string[] {
  if (largest.length === 0) return [];
  return ['', 'Largest changes', ...largest.flatMap(describeLarge)];
}

function describeLarge(row: LargeChange): string[] {
  const { before, after, kind, recipientId, ruleId, month } = row;
  const { explanationBefore: was, explanationAfter: is } = row;
  const parting = was.findIndex((sentence, i) => sentence !== is[i]);
  const shared = parting === -1 ? was.length : parting;
  return [
    `  ${change(before, after)}  ${recipientId}, rule ${ruleId}, ${month}: ${kind}, ${credits(before)} → ${credits(after)}`,
    ...was.slice(0, shared).map((sentence) => `      ${sentence}`),
    ...was.slice(shared).map((sentence) => `      before: ${sentence}`),
    ...is.slice(shared).map((sentence) => `      after:  ${sentence}`),
  ].map(printable);
}

function nextSteps(report: Report): string[] {
  const { previewId, campaignId, counts } = report;
  const isChanged = counts.new + counts.withdrawn + counts.changed > 0;
  return [
    ...(isChanged
      ? [`Every change: tributary replay show ${printable(previewId)} --changes --format csv`]
      : ['No reward changes.']),
    ...(campaignId === undefined && isOfOtherRules(report)
      ? ['To make it so: tributary replay rebuild, and then tributary replay swap']
      : []),
    ...(campaignId === undefined
      ? []
      : [`To make it so: tributary replay commit ${printable(previewId)}`]),
  ];
}
