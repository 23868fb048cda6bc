import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { apiQuery, queryClient, sessionKey, useChange } from '../api/queries.ts';
import { useTexts } from '../i18n/texts.ts';
import { CustomerText } from '../parts/customer-text.tsx';
import { ErrorText } from '../parts/error-text.tsx';
import { SmallTable } from '../parts/small-table.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';
import { accountTexts } from './texts.ts';

/** Where somebody is signed in, and how to end that. */
export function Sessions() {
  const t = useTexts(accountTexts);
  const { data, error, refetch } = useQuery(apiQuery('listSessions', {}));
  const end = useChange('endSession');
  const endAll = useChange('endSessions', {
    onDone: () => queryClient.setQueryData(sessionKey, null),
  });
  if (data === undefined) {
    return error ? <Failed error={error} onRetry={() => void refetch()} /> : <Loading />;
  }
  const failed = end.error ?? endAll.error;
  return (
    <>
      <SmallTable
        caption={t.sessions}
        rows={data.sessions}
        idOf={(row) => row.sessionId}
        columns={[
          [t.address, (row) => (row.isThis ? `${row.address} (${t.thisSession})` : row.address)],
          [t.browser, (row) => <CustomerText text={row.userAgent} />],
          [t.since, (row) => <Time at={row.createdAt} />],
          [t.lastSeen, (row) => <Time at={row.lastSeenAt} />],
          [t.expires, (row) => <Time at={row.expiresAt} />],
          [
            t.end,
            (row) => (
              <Button
                variant="default"
                size="compact-sm"
                aria-label={t.endSession(row.address)}
                onClick={() => end.mutate({ path: { sessionId: row.sessionId } })}
              >
                {t.end}
              </Button>
            ),
          ],
        ]}
      />
      {failed && <ErrorText error={failed} />}
      <Button variant="default" onClick={() => endAll.mutate({})} style={{ alignSelf: 'start' }}>
        {t.endAll}
      </Button>
    </>
  );
}
