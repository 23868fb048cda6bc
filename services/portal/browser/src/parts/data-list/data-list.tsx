import { Button, Group, Text } from '@mantine/core';
import type { Asked, OperationName } from '@tributary/admin-client/create-admin-client';
import { type ReactNode, useState } from 'react';
import type { Place } from '../../app/place.ts';
import { usePlace } from '../../app/place.ts';
import type { Fields } from '../../app/search.ts';
import { commonTexts } from '../../i18n/common.ts';
import { useTexts } from '../../i18n/texts.ts';
import { CopyButton } from '../copy-button.tsx';
import { download, toCsv } from '../csv.ts';
import { SameByApi } from '../same-by-api.tsx';
import { Empty, Failed, Loading, Stale } from '../states.tsx';
import type { Column } from './columns.ts';
import { OpenRow } from './open-row.tsx';
import { readAll, type Source, useRows } from './use-rows.ts';
import { VirtualTable } from './virtual-table.tsx';

export type DataListProps<F extends Fields, Name extends OperationName, Row> = {
  place: Place<F>;
  /** Read aloud with the table, and the name of the CSV file. */
  caption: string;
  source: Source<Name, Row>;
  columns: readonly Column<Row>[];
  idOf: (row: Row) => string;
  /** Search parameters that narrow the list; any of them set: "nothing matches". */
  filters?: readonly (keyof F & string)[];
  /** What is shown of the row whose id is in `?open=`; undefined where it is not among the rows. */
  detail?: (id: string, row: Row | undefined) => ReactNode;
  detailTitle?: (id: string, row: Row | undefined) => string;
  empty?: string;
};

const mostInCsv = 10_000;

/**
 * The list of every page: rows read page by page and drawn where they are in view, what is open in
 * the address, its neighbours by j and k, and all the states that a list can be in.
 */
export function DataList<F extends Fields, Name extends OperationName, Row>(
  props: DataListProps<F, Name, Row>,
) {
  const { place, caption, source, columns, idOf, filters = [], detail } = props;
  const t = useTexts(commonTexts);
  const { search, setSearch } = usePlace(place);
  const found = useRows(source);
  const { rows, error, asOf, dataUpdatedAt, hasNextPage } = found;
  const open = (search as { open?: string }).open;
  const setOpen = (id: string | undefined) => setSearch({ open: id } as never);
  const isFiltered = filters.some((key) => search[key] !== undefined);
  if (rows === undefined) {
    return error ? <Failed error={error} onRetry={() => void found.refetch()} /> : <Loading />;
  }
  return (
    <>
      <Stale asOf={asOf} error={error} updatedAt={dataUpdatedAt} />
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed" role="status">
          {t.rows(rows.length, hasNextPage)}
        </Text>
        <Group gap="xs">
          <CopyButton />
          <CsvButton source={source} columns={columns} name={caption} />
          <SameByApi name={source.name} asked={source.asked as Asked} />
        </Group>
      </Group>
      {rows.length === 0 ? (
        <Empty>{isFiltered ? t.emptyFiltered : (props.empty ?? t.empty)}</Empty>
      ) : (
        <VirtualTable
          {...{ caption, rows, columns, idOf, open }}
          {...(detail && { onOpen: setOpen })}
          onEnd={() => {
            if (hasNextPage && !found.isFetchingNextPage) void found.fetchNextPage();
          }}
        />
      )}
      {detail && open !== undefined && (
        <OpenRow
          {...{ rows, idOf, open, detail }}
          title={props.detailTitle ?? ((id) => id)}
          onOpen={setOpen}
        />
      )}
    </>
  );
}

function CsvButton<Name extends OperationName, Row>({
  source,
  columns,
  name,
}: {
  source: Source<Name, Row>;
  columns: readonly Column<Row>[];
  name: string;
}) {
  const t = useTexts(commonTexts);
  const [isBusy, setIsBusy] = useState(false);
  const make = async () => {
    setIsBusy(true);
    try {
      const rows = await readAll(source, mostInCsv);
      const lines = rows.map((row) => columns.map(({ text }) => text(row)));
      download(`${name}.csv`, toCsv([columns.map(({ label }) => label), ...lines]));
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Button variant="default" size="compact-sm" loading={isBusy} onClick={() => void make()}>
      {t.csv}
    </Button>
  );
}
