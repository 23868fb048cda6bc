import { Text } from '@mantine/core';
import { useSession } from '../api/session.ts';
import { useTexts } from '../i18n/texts.ts';
import { CustomerText } from '../parts/customer-text.tsx';
import { Facts } from '../parts/facts.tsx';
import { PageFrame } from '../parts/page-frame.tsx';
import { Time } from '../parts/time.tsx';
import { accountTexts } from './texts.ts';

/** What somebody sees and changes of their own account. */
export function Account() {
  const t = useTexts(accountTexts);
  const { data: session } = useSession();
  if (!session) return null;
  return (
    <PageFrame title={t.title}>
      <Facts
        of={[
          [t.email, <CustomerText text={session.email} />],
          [t.name, <CustomerText text={session.name} />],
          ['Session', <Time at={session.expiresAt} />],
        ]}
      />
      {!session.isOperator && session.memberships.length === 0 && <Text>{t.noTenant}</Text>}
    </PageFrame>
  );
}
