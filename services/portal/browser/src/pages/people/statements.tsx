import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { Amount } from '../../parts/amount.tsx';
import { Answered } from '../../parts/answered.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { Part } from '../../parts/part.tsx';
import { place } from './place.ts';
import { peopleTexts } from './texts.ts';

/** What the ledger has of a recipient, month by month. */
export function Statements({ userId }: { userId: string }) {
  const t = useTexts(peopleTexts);
  const { tenantId } = usePlace(place);
  const path = { tenantId, recipientId: userId };
  const statements = useQuery(apiQuery('listStatements', { path }));
  if (statements.data?.statements.length === 0) return null;
  return (
    <Part title={t.statements}>
      <Answered of={statements}>
        {(data) => (
          <SmallTable
            caption={t.statements}
            rows={data.statements}
            idOf={({ month }) => month}
            columns={[
              [t.month, ({ month }) => month],
              [t.postings, ({ postings }) => postings, 'end'],
              [t.promised, ({ promised }) => <Amount value={promised} />, 'end'],
              [t.granted, ({ granted }) => <Amount value={granted} />, 'end'],
              [t.closing, ({ closing }) => <Amount value={closing.owed} />, 'end'],
            ]}
          />
        )}
      </Answered>
    </Part>
  );
}
