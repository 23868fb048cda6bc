import { Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useMemo, useRef, useState } from 'react';
import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { PartTitle } from '../../parts/part.tsx';
import { place } from './place.ts';
import type { PreviewRequest, PreviewState } from './preview-messages.ts';
import { sampleSession } from './sample-session.ts';
import { widgetTexts } from './texts.ts';

/** The real widget with what stands in the editor, for somebody made up. */
export function Preview({ settings }: { settings: unknown }) {
  const t = useTexts(widgetTexts);
  const { search, setSearch } = usePlace(place);
  const { scheme = 'light' } = search;
  const [settled] = useDebouncedValue(settings, 300);
  const session = useMemo(() => sampleSession(settled), [settled]);
  const languages = [...new Set(['en', 'de', ...Object.keys(session.texts)])];
  const language = languages.find((tag) => tag === search.language) ?? 'en';
  return (
    <Stack gap="xs">
      <PartTitle>{t.preview}</PartTitle>
      <Text size="sm">{t.previewText}</Text>
      <Group gap="xs">
        <NativeSelect
          label={t.language}
          value={language}
          onChange={({ currentTarget }) => setSearch({ language: currentTarget.value })}
          data={languages}
        />
        <NativeSelect
          label={t.scheme}
          value={scheme}
          onChange={({ currentTarget: { value } }) =>
            setSearch({ scheme: value === 'dark' ? 'dark' : 'light' })
          }
          data={[
            { value: 'light', label: t.light },
            { value: 'dark', label: t.dark },
          ]}
        />
      </Group>
      <Frame asked={{ session, language, scheme }} />
    </Stack>
  );
}

/** A page of another, empty origin: nothing in it can reach the portal or the network. */
function Frame({ asked }: { asked: PreviewRequest }) {
  const t = useTexts(widgetTexts);
  const frame = useRef<HTMLIFrameElement>(null);
  const [isReady, setReady] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    const note = ({ source, data }: MessageEvent<PreviewState>) => {
      if (source !== frame.current?.contentWindow) return;
      if (data === 'ready') setReady(true);
      setFailed(data === 'failed');
    };
    addEventListener('message', note);
    return () => removeEventListener('message', note);
  }, []);
  const text = JSON.stringify(asked);
  useEffect(() => {
    if (!isReady) return;
    // Its origin is empty, so it cannot be named; only this frame is sent to.
    frame.current?.contentWindow?.postMessage(JSON.parse(text), '*');
  }, [isReady, text]);
  return (
    <>
      {hasFailed && <Text role="status">{t.previewFailed}</Text>}
      <iframe
        ref={frame}
        className="widget-preview"
        title={t.preview}
        sandbox="allow-scripts"
        src="/portal/widget-preview"
      />
    </>
  );
}
