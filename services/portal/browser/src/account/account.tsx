import { Group, Stack, Text, Title } from '@mantine/core';
import { useSession } from '../api/session.ts';
import { useTexts } from '../i18n/texts.ts';
import { CustomerText } from '../parts/customer-text.tsx';
import { Facts } from '../parts/facts.tsx';
import { PageFrame } from '../parts/page-frame.tsx';
import { ChangePassword } from './change-password.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';
import { accountTexts } from './texts.ts';

/** What somebody sees and changes of their own account. */
export function Account() {
  const t = useTexts(accountTexts);
  const { data: session } = useSession();
  if (!session) return null;
  return (
    <PageFrame title={t.title}>
      {!session.isOperator && session.memberships.length === 0 && <Text>{t.noTenant}</Text>}
      <Facts
        of={[
          [t.email, <CustomerText text={session.email} />],
          [t.name, <CustomerText text={session.name} />],
        ]}
      />
      <Group align="flex-start" gap="xl">
        <Stack maw={420} flex="1 1 280px">
          <Title order={2} size="h3">
            {t.password}
          </Title>
          <ChangePassword />
        </Stack>
        <Stack maw={420} flex="1 1 280px">
          <Title order={2} size="h3">
            {t.secondFactor}
          </Title>
          <SecondFactor session={session} />
        </Stack>
      </Group>
      <Title order={2} size="h3">
        {t.sessions}
      </Title>
      <Sessions />
    </PageFrame>
  );
}
