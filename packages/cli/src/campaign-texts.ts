import type { AnswerBodyOf } from '@tributary/contracts/admin/admin-route';
import type { campaignRoutes } from '@tributary/contracts/admin/campaigns';
import { lines, printable, table } from './print.ts';

// Answers about campaigns as readable lines.

export type Check = AnswerBodyOf<(typeof campaignRoutes)['checkCampaign']>;
export type Explanation = NonNullable<Check['explanation']>;
export type Remark = Check['mistakes'][number] | NonNullable<Check['warnings']>[number];
export type Revisions = AnswerBodyOf<(typeof campaignRoutes)['showCampaign']>;

export function describeCheck({ valid, mistakes, warnings, explanation }: Check): string {
  if (!valid) {
    const heading = mistakes.length === 1 ? '1 mistake:' : `${mistakes.length} mistakes:`;
    return [heading, ...mistakes.map(remark)].join('\n');
  }
  return [
    ...(explanation === undefined ? [] : [describeExplanation(explanation)]),
    ...describeWarnings(warnings ?? []),
    'No mistakes.',
  ].join('\n');
}

export function describeExplanation({ campaign, rules }: Explanation): string {
  return [
    ...campaign.map(printable),
    ...rules.flatMap(({ ruleId, sentences }) => [
      `Rule ${printable(ruleId)}`,
      ...sentences.map((sentence) => `  ${printable(sentence)}`),
    ]),
  ].join('\n');
}

/** None, or a heading with a line for each. */
export function describeWarnings(warnings: readonly Remark[]): string[] {
  if (warnings.length === 0) return [];
  return [
    warnings.length === 1 ? '1 warning:' : `${warnings.length} warnings:`,
    ...warnings.map(remark),
  ];
}

export function describeRevisions({ campaignId, revisionInForce, revisions }: Revisions): string {
  const rows = revisions.map((row) => ({
    ...row,
    now: row.revision === revisionInForce ? 'in force' : '',
  }));
  const columns = ['revision', 'now', 'name', 'status', 'effectiveFrom', 'publishedAt'];
  return `Campaign ${printable(campaignId)}\n${table(columns, rows)}`;
}

export function describeRevision(body: Record<string, unknown>): string {
  const { campaignId, revision, name, effectiveFrom, publishedAt, landingUrl } = body;
  return [
    lines(`Campaign ${printable(campaignId)}, revision ${printable(revision)}`, {
      name,
      effectiveFrom,
      publishedAt,
      landingUrl,
    }),
    describeExplanation(body['explanation'] as Explanation),
    ...describeWarnings(body['warnings'] as Remark[]),
  ].join('\n');
}

function remark({ code, pointer, detail }: Remark): string {
  return printable(`  ${pointer === '' ? '(the file)' : pointer}: ${detail} (${code})`);
}
