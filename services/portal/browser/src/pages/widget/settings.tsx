import { Button, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { apiQuery, useChange } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ErrorText } from '../../parts/error-text.tsx';
import { JsonEditor } from '../../parts/json-editor/json-editor.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { place } from './place.ts';
import { widgetTexts } from './texts.ts';

/** How the widget looks and what it says. */
export function Settings() {
  const t = useTexts(widgetTexts);
  const { tenantId } = usePlace(place);
  const mayChange = useMay(tenantId, 'develop');
  const { data, error, isPending, refetch } = useQuery(
    apiQuery('showWidgetSettings', { path: { tenantId } }),
  );
  return (
    <Stack component="section" gap="xs">
      <Title order={2} size="h4">
        {t.settings}
      </Title>
      <Text size="sm">{t.settingsText}</Text>
      {isPending && <Loading />}
      {data === undefined && error && <Failed error={error} onRetry={() => void refetch()} />}
      {data &&
        (mayChange ? (
          <Editable saved={JSON.stringify(data, null, 2)} />
        ) : (
          <Code block className="prewrap" tabIndex={0}>
            {JSON.stringify(data, null, 2)}
          </Code>
        ))}
      {mayChange && <TokenCheck />}
    </Stack>
  );
}

function Editable({ saved }: { saved: string }) {
  const t = useTexts(widgetTexts);
  const { tenantId } = usePlace(place);
  const [typed, setTyped] = useState<string>();
  const text = typed ?? saved;
  const change = useChange('changeWidgetSettings', { onDone: () => setTyped(undefined) });
  const parsed = parse(text);
  return (
    <Stack gap="xs">
      <JsonEditor label={t.json} value={text} onChange={setTyped} />
      {parsed === undefined && <Text role="status">{t.notJson}</Text>}
      {change.error && <ErrorText error={change.error} />}
      <Group gap="xs">
        <Button
          disabled={parsed === undefined || text === saved}
          loading={change.isPending}
          onClick={() => change.mutate({ path: { tenantId }, body: parsed as never })}
        >
          {t.save}
        </Button>
        {text !== saved && (
          <Button variant="default" onClick={() => setTyped(undefined)}>
            {t.undo}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function TokenCheck() {
  const t = useTexts(widgetTexts);
  const { tenantId } = usePlace(place);
  return (
    <Group>
      <ActionButton
        name="checkWidgetToken"
        label={t.token}
        title={t.token}
        text={t.tokenText}
        fields={[{ key: 'token', label: t.tokenField, kind: 'lines', required: true }]}
        done={t.tokenChecked}
        result={(answer) => (
          <Code block className="prewrap" tabIndex={0}>
            {JSON.stringify(answer, null, 2)}
          </Code>
        )}
        asked={({ token = '' }) => ({ path: { tenantId }, body: { token } })}
      />
    </Group>
  );
}
