import { Title } from '@mantine/core';
import type { AnswerOf } from '@tributary/admin-client/create-admin-client';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import type { Column } from '../../parts/data-list/columns.ts';
import { DataList } from '../../parts/data-list/data-list.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Time } from '../../parts/time.tsx';
import { Invitations } from './invitations.tsx';
import { Invite } from './invite.tsx';
import { MemberDetail } from './member-detail.tsx';
import { place } from './place.ts';
import { memberTexts } from './texts.ts';

export type Member = AnswerOf<'listPeople'>['people'][number];

/** Who may do what in a tenant, and who is invited. */
export function Screen() {
  const t = useTexts(memberTexts);
  const { tenantId } = usePlace(place);
  const columns: Column<Member>[] = [
    { key: 'email', label: t.email, text: (row) => row.email, width: 260 },
    { key: 'name', label: t.name, text: (row) => row.name },
    { key: 'role', label: t.role, text: (row) => row.role, cell: (row) => t.roles[row.role] },
    {
      key: 'since',
      label: t.since,
      text: (row) => row.since,
      cell: (row) => <Time at={row.since} />,
    },
  ];
  return (
    <PageFrame title={t.title} actions={<Invite />}>
      <DataList
        place={place}
        caption={t.title}
        empty={t.empty}
        source={{ name: 'listPeople', asked: { path: { tenantId } }, rowsOf }}
        columns={columns}
        idOf={(row) => row.accountId}
        detailTitle={(id, row) => row?.email ?? id}
        detail={(id, row) => row && <MemberDetail key={id} member={row} />}
      />
      <Title order={2} size="h3">
        {t.invitations}
      </Title>
      <Invitations />
    </PageFrame>
  );
}

const rowsOf = (answer: AnswerOf<'listPeople'>) => answer.people;
