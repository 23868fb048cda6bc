import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { Amount } from '../../parts/amount.tsx';
import { CustomerText } from '../../parts/customer-text.tsx';
import { withMarks } from '../../parts/hidden-characters.ts';
import { SmallTable } from '../../parts/small-table.tsx';
import { Failed, Loading, Stale } from '../../parts/states.tsx';
import { place } from './place.ts';
import { ledgerTexts } from './texts.ts';

const kinds = ['entitled', 'held', 'review', 'withheld', 'issued', 'reversed', 'owed'] as const;
type Row = { campaignId: string } & Record<(typeof kinds)[number], string>;
const total = '';

/** What a recipient has, in total and by campaign. */
export function Balance({ recipientId }: { recipientId: string }) {
  const t = useTexts(ledgerTexts);
  const { tenantId } = usePlace(place);
  const asked = { path: { tenantId, recipientId } };
  const { data, error, dataUpdatedAt, refetch } = useQuery(apiQuery('showRecipientBalance', asked));
  if (data === undefined) {
    return error ? <Failed error={error} onRetry={() => void refetch()} /> : <Loading />;
  }
  const columns = kinds.map(
    (kind) => [t[kind], (row: Row) => <Amount value={row[kind]} />, 'end'] as const,
  );
  return (
    <>
      <Stale asOf={data.asOf} error={error} updatedAt={dataUpdatedAt} />
      <SmallTable<Row>
        caption={t.balance(withMarks(recipientId))}
        rows={[{ ...data, campaignId: total }, ...data.campaigns]}
        idOf={(row) => row.campaignId}
        columns={[
          [
            t.campaign,
            ({ campaignId }) =>
              campaignId === total ? t.total : <CustomerText text={campaignId} />,
          ],
          ...columns,
        ]}
      />
    </>
  );
}
