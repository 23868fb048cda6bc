import { Button, Code, Popover, Stack, Text } from '@mantine/core';
import { type Asked, type OperationName, urlOf } from '@tributary/admin-client/create-admin-client';
import { routes } from '@tributary/admin-client/generated/routes.gen';
import { commonTexts } from '../i18n/common.ts';
import { useTexts } from '../i18n/texts.ts';
import { CopyButton } from './copy-button.tsx';

/** What this page shows or does as one line for a shell; the token is named, never shown. */
export function SameByApi({ name, asked }: { name: OperationName; asked: Asked }) {
  const t = useTexts(commonTexts);
  const line = curlLine(name, asked, location.origin);
  return (
    <Popover position="bottom-end" trapFocus returnFocus width={360}>
      <Popover.Target>
        <Button variant="default" size="compact-md">
          {t.byApi}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t.byApi}>
        <Stack gap="xs" align="flex-start">
          <Text size="sm">{t.byApiHint}</Text>
          <Code block className="prewrap" tabIndex={0} w="100%">
            {line}
          </Code>
          <CopyButton text={line} />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

export function curlLine(name: OperationName, asked: Asked, origin: string): string {
  const [method] = routes[name];
  const parts = [
    'curl',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    '-H "Authorization: Bearer $TRIBUTARY_API_TOKEN"',
    ...(asked.body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(asked.body))}`]),
    quoted(origin + urlOf(name, asked)),
  ];
  return parts.join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
