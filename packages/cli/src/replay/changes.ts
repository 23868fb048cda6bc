import type { AnswerBodyOf } from '@tributary/contracts/admin/admin-route';
import { csvLine } from '../csv.ts';
import { replayRoutes } from '@tributary/contracts/admin/replays';
import type { CommandContext } from '../command-context.ts';
import { nextPage, table } from '../print.ts';
import { change } from './numbers.ts';

export type ChangeFlags = {
  kind?: string;
  rule?: string;
  recipient?: string;
  month?: string;
  format?: 'table' | 'csv' | 'json';
  limit?: string;
  cursor?: string;
};

type Page = AnswerBodyOf<(typeof replayRoutes)['listChanges']>;
type Change = Page['changes'][number];

const largestPage = '200';
const columns = [
  ...(['tenantId', 'recipientId', 'rewardId', 'campaignId', 'ruleId', 'recipientRole'] as const),
  ...(['month', 'kind', 'toReview', 'before', 'after'] as const),
] as const;
const shownColumns = [
  ...['recipientId', 'ruleId', 'month', 'kind', 'toReview', 'before', 'after', 'difference'],
  'rewardId',
];

/** A table is one page; a file for another program holds all of them. */
export async function showChanges(
  context: CommandContext,
  previewId: string,
  { format = 'table', limit, cursor, ...filter }: ChangeFlags,
): Promise<void> {
  if (format === 'table') {
    const request = { ...changesOf(previewId), query: { ...filter, limit, cursor } };
    await context.show(request, ({ body }) => tableOf(body));
    return;
  }
  const pages = allPages(context, previewId, { ...filter, limit: limit ?? largestPage }, cursor);
  if (format === 'csv') return writeCsv(context.write, pages);
  return writeJson(context.write, pages);
}

function changesOf(previewId: string) {
  return { route: replayRoutes.listChanges, params: { previewId } };
}

async function* allPages(
  { call }: CommandContext,
  previewId: string,
  asked: Record<string, string | undefined>,
  first: string | undefined,
): AsyncGenerator<Change[]> {
  let cursor = first;
  do {
    const request = { ...changesOf(previewId), query: { ...asked, cursor } };
    const { changes, nextCursor } = (await call(request)).body;
    yield changes;
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** RFC 4180; the first line names the columns. */
async function writeCsv(
  write: (text: string) => void,
  pages: AsyncIterable<Change[]>,
): Promise<void> {
  write(columns.join(','));
  for await (const changes of pages) {
    if (changes.length > 0) write(changes.map((row) => csvLine(columns, row)).join('\n'));
  }
}

/** One array, written as it comes. */
async function writeJson(
  write: (text: string) => void,
  pages: AsyncIterable<Change[]>,
): Promise<void> {
  let separator = '[\n';
  for await (const changes of pages) {
    if (changes.length === 0) continue;
    write(separator + changes.map((row) => `  ${JSON.stringify(row)}`).join(',\n'));
    separator = '  ,\n';
  }
  write(separator === '[\n' ? '[]' : ']');
}

function tableOf({ changes, nextCursor }: Page): string {
  if (changes.length === 0) return 'No changes.';
  const rows = changes.map((row) => ({
    ...row,
    toReview: row.toReview ? 'yes' : '',
    difference: change(row.before, row.after),
  }));
  return [table(shownColumns, rows), ...nextPage(nextCursor)].join('\n');
}
