import { Card, Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { commonTexts } from '../i18n/common.ts';
import { useTexts } from '../i18n/texts.ts';
import { Switches } from '../shell/header.tsx';

/** Around the pages that are there before anybody is signed in. */
export function EntryFrame({ title, children }: { title: string; children: ReactNode }) {
  const t = useTexts(commonTexts);
  useEffect(() => {
    document.title = `${title} – ${t.product}`;
  }, [title, t.product]);
  return (
    <Stack component="main" align="center" p="md" pt="xl" gap="xl">
      <Card withBorder w="100%" maw={420} p="lg">
        <Stack>
          <Text fw={700}>{t.product}</Text>
          <Title order={1} size="h2">
            {title}
          </Title>
          {children}
        </Stack>
      </Card>
      <Group justify="center">
        <Switches />
      </Group>
    </Stack>
  );
}
