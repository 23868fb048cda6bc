import { Button, Popover, Stack, Text } from '@mantine/core';
import type { Asked, OperationName } from '@tributary/admin-client/create-admin-client';
import { commonTexts } from '../i18n/common.ts';
import { useTexts } from '../i18n/texts.ts';
import { CopyButton } from './copy-button.tsx';
import { curlLine } from './curl-line.ts';
import { PlainText } from './plain-text.tsx';

/** What this page shows or does as one line for a shell; the token is named, never shown. */
export function SameByApi({ name, asked }: { name: OperationName; asked: Asked }) {
  const t = useTexts(commonTexts);
  const line = curlLine(name, asked, location.origin);
  return (
    <Popover position="bottom-end" trapFocus returnFocus width={310}>
      <Popover.Target>
        <Button variant="default" size="compact-sm">
          {t.byApi}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t.byApi}>
        <Stack gap="xs" align="flex-start">
          <Text size="sm">{t.byApiHint}</Text>
          <PlainText text={line} label={t.byApi} w="100%" />
          <CopyButton text={line} />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
