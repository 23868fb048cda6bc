import { path } from '../admin-client.ts';
import type { CommandContext } from '../command-context.ts';
import { printable, table } from '../print.ts';
import { query } from '../query.ts';
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

type Change = Record<string, string | boolean> & { before: string; after: string };
type Page = { changes: Change[]; nextCursor: string | null };

const largestPage = '200';
const columns = [
  ...['tenantId', 'recipientId', 'rewardId', 'campaignId', 'ruleId', 'recipientRole', 'month'],
  ...['kind', 'toReview', 'before', 'after'],
];
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
  const target = path`/api/replay/previews/${previewId}/changes`;
  if (format === 'table') {
    const request = `${target}${query({ ...filter, limit, cursor })}`;
    await context.show({ method: 'GET', path: request }, ({ body }) => tableOf(body as Page));
    return;
  }
  const pages = allPages(context, target, { ...filter, limit: limit ?? largestPage }, cursor);
  if (format === 'csv') return writeCsv(context.write, pages);
  return writeJson(context.write, pages);
}

async function* allPages(
  { call }: CommandContext,
  target: string,
  asked: Record<string, string | undefined>,
  first: string | undefined,
): AsyncGenerator<Change[]> {
  let cursor = first;
  do {
    const answer = await call({ method: 'GET', path: target + query({ ...asked, cursor }) });
    const { changes, nextCursor } = answer.body as Page;
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
    if (changes.length > 0) write(changes.map(csvLine).join('\n'));
  }
}

function csvLine(row: Change): string {
  return columns.map((column) => csvCell(String(row[column] ?? ''))).join(',');
}

/** What a spreadsheet would take for a formula is given to it as text. */
function csvCell(text: string): string {
  const safe = /^[=+@\t\r]|^-(?!\d+(\.\d+)?$)/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
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
    toReview: row['toReview'] === true ? 'yes' : '',
    difference: change(row.before, row.after),
  }));
  return [
    table(shownColumns, rows),
    ...(nextCursor === null ? [] : [`There are more: --cursor ${printable(nextCursor)}`]),
  ].join('\n');
}
