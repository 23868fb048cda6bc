import type { IncomingMessage } from 'node:http';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { CsvForm } from '@tributary/contracts/admin/csv-form';
import type { Logger } from '@tributary/runtime/logger';
import { csvHead, csvLine } from './csv.ts';
import type { AdminRequest, Answer, ServedRoute } from './route.ts';
import { acceptsGzip } from './send-answer.ts';

/** Is the list wanted as a table? What the query says holds, whatever else is accepted. */
export function csvFormOf({ route }: ServedRoute, req: IncomingMessage): CsvForm | undefined {
  const [, search = ''] = (req.url ?? '').split('?');
  const format = new URLSearchParams(search).get('format');
  if (format !== null) return format === 'csv' ? route.csv : undefined;
  return /(^|,)\s*text\/csv\b/i.test(req.headers.accept ?? '') ? route.csv : undefined;
}

/**
 * The whole list, page after page as they are read: never more than one of them is in memory.
 * Whoever may not see it any more gets no further page. When something fails on the way the
 * connection breaks, so that nobody takes a part for the whole.
 */
export async function sendCsv(
  res: ServerResponse,
  form: CsvForm,
  first: Answer,
  options: { served: ServedRoute; request: AdminRequest; logger: Logger },
): Promise<void> {
  const { served, request, logger } = options;
  res.writeHead(200, {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${form.items}.csv"`,
    Vary: 'Accept, Accept-Encoding',
    ...(acceptsGzip(res.req) && { 'Content-Encoding': 'gzip' }),
  });
  const pages = Readable.from(linesOf(form, first, { served, request }));
  try {
    if (acceptsGzip(res.req)) await pipeline(pages, createGzip(), res);
    else await pipeline(pages, res);
  } catch (error) {
    if (res.req.destroyed) return;
    logger.warn('a list was not sent to its end', { error, requestId: request.requestId });
    res.destroy();
  }
}

async function* linesOf(
  form: CsvForm,
  first: Answer,
  { served, request }: { served: ServedRoute; request: AdminRequest },
): AsyncGenerator<string> {
  let text = csvHead(form);
  let answer = first;
  for (;;) {
    const body = answer.body as Record<string, unknown>;
    for (const item of body[form.items] as readonly unknown[]) text += csvLine(form, item);
    yield text;
    text = '';
    const cursor = body['nextCursor'];
    if (typeof cursor !== 'string') return;
    const caller = await request.stillAdmitted();
    answer = await served.handle({ ...request, caller, search: nextPage(request.search, cursor) });
  }
}

const pageSize = '200';

function nextPage(search: string, cursor: string): string {
  const query = new URLSearchParams(search);
  query.set('limit', pageSize);
  query.set('cursor', cursor);
  return query.toString();
}
