import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { apiQuery, useChange } from '../../api/queries.ts';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { CustomerText } from '../../parts/customer-text.tsx';
import { ErrorText } from '../../parts/error-text.tsx';
import { withMarks } from '../../parts/hidden-characters.ts';
import { SmallTable } from '../../parts/small-table.tsx';
import { Empty, Loading } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { place } from './place.ts';
import { memberTexts } from './texts.ts';

/** Links that nobody has used yet. That they cannot be loaded the list above says already. */
export function Invitations() {
  const t = useTexts(memberTexts);
  const { tenantId } = usePlace(place);
  const { data, error } = useQuery(apiQuery('listPeople', { path: { tenantId } }));
  const withdraw = useChange('withdrawInvitation');
  if (data === undefined) return error ? null : <Loading />;
  if (data.invitations.length === 0) return <Empty>{t.noInvitations}</Empty>;
  return (
    <>
      <SmallTable
        caption={t.invitations}
        rows={data.invitations}
        idOf={(row) => row.invitationId}
        columns={[
          [t.email, (row) => <CustomerText text={row.email} />],
          [t.role, (row) => t.roles[row.role]],
          [t.expires, (row) => <Time at={row.expiresAt} />],
          [
            t.withdraw,
            ({ invitationId, email }) => (
              <Button
                variant="default"
                size="compact-sm"
                aria-label={t.withdrawOf(withMarks(email))}
                onClick={() => withdraw.mutate({ path: { tenantId, invitationId } })}
              >
                {t.withdraw}
              </Button>
            ),
          ],
        ]}
      />
      {withdraw.error && <ErrorText error={withdraw.error} />}
    </>
  );
}
