import type pg from 'pg';

/** Every value as Postgres writes it: no number, date or JSON is made of it. */
export type TextRow = readonly (string | null)[];

/**
 * The rows of a query, page by page, through a cursor: any number of them in little memory. The
 * next page is on its way while the caller is busy with one. In a transaction; the client is the
 * caller's own until the end, and one query at a time is read so.
 */
export async function* readPages(
  tx: Pick<pg.ClientBase, 'query'>,
  query: { text: string; values?: readonly unknown[] },
  rowsAtOnce = 1_000,
): AsyncGenerator<readonly TextRow[], void, void> {
  await tx.query({
    text: `declare page_cursor no scroll cursor for ${query.text}`,
    values: [...(query.values ?? [])],
  });
  const fetchPage = () => {
    const page = tx.query<(string | null)[]>({
      text: `fetch ${rowsAtOnce} from page_cursor`,
      rowMode: 'array',
      types: { getTypeParser: () => asText },
    });
    // It may fail before anybody waits for it; whoever does hears of it then.
    page.catch(() => undefined);
    return page;
  };
  let next = fetchPage();
  for (;;) {
    const { rows } = await next;
    if (rows.length === 0) break;
    next = fetchPage();
    yield rows;
  }
  await tx.query('close page_cursor');
}

function asText(value: string | null): string | null {
  return value;
}
