import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { apiQuery, useChange } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { ActionButton } from '../../parts/action-button.tsx';
import { ErrorText } from '../../parts/error-text.tsx';
import { JsonEditor } from '../../parts/json-editor/json-editor.tsx';
import { Json } from '../../parts/json.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { Part } from '../../parts/part.tsx';
import { place } from './place.ts';
import { Preview } from './preview.tsx';
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
    <Part title={t.settings}>
      <Text size="sm">{t.settingsText}</Text>
      {isPending && <Loading />}
      {data === undefined && error && <Failed error={error} onRetry={() => void refetch()} />}
      {data &&
        (mayChange ? (
          <Editable saved={JSON.stringify(data, null, 2)} />
        ) : (
          <BesidePreview settings={data}>
            <Json value={data} label={t.json} />
          </BesidePreview>
        ))}
      {mayChange && <TokenCheck />}
    </Part>
  );
}

function BesidePreview({ settings, children }: { settings: unknown; children: ReactNode }) {
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }}>
      <Stack gap="xs">{children}</Stack>
      <Preview settings={settings} />
    </SimpleGrid>
  );
}

function Editable({ saved }: { saved: string }) {
  const t = useTexts(widgetTexts);
  const { tenantId } = usePlace(place);
  const [typed, setTyped] = useState<string>();
  const text = typed ?? saved;
  const change = useChange('changeWidgetSettings', { onDone: () => setTyped(undefined) });
  const parsed = parse(text);
  // What is half typed is not shown: the preview keeps the last that was whole.
  const [whole, setWhole] = useState<unknown>(parsed);
  const edit = (next: string) => {
    setTyped(next);
    setWhole((before: unknown) => parse(next) ?? before);
  };
  return (
    <BesidePreview settings={typed === undefined ? parse(saved) : whole}>
      <JsonEditor label={t.json} value={text} onChange={edit} />
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
    </BesidePreview>
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
        result={(answer) => <Json value={answer} label={t.token} />}
        asked={({ token = '' }) => ({ path: { tenantId }, body: { token } })}
      />
    </Group>
  );
}
