import { useInfiniteQuery } from '@tanstack/react-query';
import type { AnswerOf, AskedOf, OperationName } from '@tributary/admin-client/create-admin-client';
import { useMemo } from 'react';
import { api } from '../../api/browser-client.ts';
import { apiKey } from '../../api/queries.ts';

/** Which list of the API is shown, and where its rows are in the answer. */
export type Source<Name extends OperationName, Row> = {
  name: Name;
  asked: AskedOf<Name>;
  rowsOf: (answer: AnswerOf<Name>) => readonly Row[];
};

/** Many at once: a page of 50 would be asked for again at each turn of the wheel. */
const pageSize = 200;

type Paged = { nextCursor?: string | null; asOf?: string | null };

/** The rows that were read so far, and how to read on. */
export function useRows<Name extends OperationName, Row>({
  name,
  asked,
  rowsOf,
}: Source<Name, Row>) {
  const query = useInfiniteQuery({
    queryKey: [...apiKey(name, asked), 'pages'],
    queryFn: ({ pageParam, signal }) => api.call(name, pageOf(asked, pageParam), { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => (last as Paged).nextCursor ?? undefined,
  });
  const answers = query.data?.pages;
  const rows = useMemo(() => answers?.flatMap((answer) => rowsOf(answer)), [answers, rowsOf]);
  const asOf = (answers?.at(-1) as Paged | undefined)?.asOf;
  return { ...query, rows, asOf };
}

/** Every row of a list, up to a bound, for a file. */
export async function readAll<Name extends OperationName, Row>(
  { name, asked, rowsOf }: Source<Name, Row>,
  most: number,
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const answer = await api.call(name, pageOf(asked, cursor));
    rows.push(...rowsOf(answer));
    cursor = (answer as Paged).nextCursor ?? undefined;
  } while (cursor !== undefined && rows.length < most);
  return rows;
}

function pageOf<Name extends OperationName>(
  asked: AskedOf<Name>,
  cursor: string | undefined,
): AskedOf<Name> {
  const { query, ...rest } = asked as { query?: Record<string, unknown> };
  // A list without pages says so by having no parameter for them.
  if (query === undefined) return asked;
  return { ...rest, query: { limit: pageSize, ...query, cursor } } as unknown as AskedOf<Name>;
}
