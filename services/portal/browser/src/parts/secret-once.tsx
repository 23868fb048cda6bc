import { Alert, Group, Stack, Text } from '@mantine/core';
import { commonTexts } from '../i18n/common.ts';
import { useTexts } from '../i18n/texts.ts';
import { CopyButton } from './copy-button.tsx';
import { PlainText } from './plain-text.tsx';

/** Values that are shown this once, each with a button that copies it. */
export function SecretOnce({ of }: { of: readonly (readonly [name: string, value: string])[] }) {
  const t = useTexts(commonTexts);
  return (
    <Stack gap="xs">
      <Alert color="yellow" variant="outline" title={t.shownOnce} />
      {of.map(([name, value]) => (
        <Stack gap={2} key={name}>
          <Text size="sm">{name}</Text>
          <Group gap="xs" wrap="nowrap" align="flex-start">
            <PlainText text={value} label={name} flex={1} />
            <CopyButton text={value} />
          </Group>
        </Stack>
      ))}
    </Stack>
  );
}
