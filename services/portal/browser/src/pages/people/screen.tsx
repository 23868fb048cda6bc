import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { useMemo } from 'react';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import type { Column } from '../../parts/data-list/columns.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { FilterBar, TextFilter } from '../../parts/filters.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { PersonDetail } from './person-detail.tsx';
import { place } from './place.ts';
import { peopleTexts } from './texts.ts';

type UserRow = AnswerOf<'listUsers'>['users'][number];

/** Everybody who was reported or has a code: what they did, what they have, what can be done. */
export function Screen() {
  const t = useTexts(peopleTexts);
  const { tenantId, search } = usePlace(place);
  const { open: _open, ...query } = search;
  return (
    <PageFrame title={t.title}>
      <FilterBar place={place} names={['q']}>
        <TextFilter place={place} name="q" label={t.q} />
      </FilterBar>
      <DataList
        place={place}
        caption={t.title}
        empty={t.empty}
        source={{ name: 'listUsers', asked: { path: { tenantId }, query }, rowsOf }}
        columns={useColumns()}
        idOf={(row) => row.userId}
        filters={['q']}
        detail={(id, row) => <PersonDetail key={id} userId={id} row={row} />}
      />
    </PageFrame>
  );
}

const rowsOf = (answer: AnswerOf<'listUsers'>) => answer.users;

function useColumns(): Column<UserRow>[] {
  const t = useTexts(peopleTexts);
  return useMemo(
    () => [
      { key: 'user', label: t.user, text: (row) => row.userId, width: 240 },
      { key: 'name', label: t.name, text: (row) => row.name ?? '', width: 220 },
      { key: 'email', label: t.email, text: (row) => row.email ?? '', width: 260 },
    ],
    [t],
  );
}
