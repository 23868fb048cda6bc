import { Alert, Button, Loader, Stack, Text } from '@mantine/core';
import { ProblemError } from '@tributary/admin-client/problem-error';
import { commonTexts } from '../i18n/common.ts';
import { useTexts } from '../i18n/texts.ts';
import { ErrorText } from './error-text.tsx';
import { PageFrame } from './page-frame.tsx';
import { formatInstant, timeZone } from './times.ts';

export function Loading() {
  const t = useTexts(commonTexts);
  return (
    <Stack align="center" p="xl" role="status">
      <Loader aria-hidden />
      <Text size="sm">{t.loading} …</Text>
    </Stack>
  );
}

/** Where something could not be loaded and nothing older is there to show. */
export function Failed({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const t = useTexts(commonTexts);
  if (error instanceof ProblemError && error.problem.status === 403) return <ForbiddenText />;
  return (
    <Stack align="flex-start" p="md">
      <Text fw={600}>{t.failedTitle}</Text>
      <ErrorText error={error} />
      {onRetry && (
        <Button variant="default" onClick={onRetry}>
          {t.retry}
        </Button>
      )}
    </Stack>
  );
}

/** A whole page that is not for the role of whoever opened it. */
export function Forbidden() {
  const t = useTexts(commonTexts);
  return (
    <PageFrame title={t.forbiddenTitle}>
      <Text>{t.forbidden}</Text>
    </PageFrame>
  );
}

function ForbiddenText() {
  const t = useTexts(commonTexts);
  return (
    <Text p="md">
      {t.forbiddenTitle}. {t.forbidden}
    </Text>
  );
}

export function Empty({ children }: { children: string }) {
  return (
    <Text p="xl" ta="center" c="dimmed">
      {children}
    </Text>
  );
}

/** Longer than this behind the log is worth a sentence. */
const freshMs = 60_000;

/**
 * Says as of when what is shown is true, where that is not now: the answer itself says `asOf`, and
 * when the server no longer answers, the time of the last answer counts.
 */
export function Stale({
  asOf,
  error,
  updatedAt,
}: {
  asOf?: string | null | undefined;
  error?: Error | null;
  updatedAt: number;
}) {
  const t = useTexts(commonTexts);
  const zone = timeZone.use();
  const shown = (at: string) => formatInstant(at, zone);
  if (error) {
    const text = t.staleOffline(shown(new Date(updatedAt).toISOString()));
    return <Alert color="yellow" variant="outline" role="status" title={text} />;
  }
  if (asOf && updatedAt - Date.parse(asOf) > freshMs) {
    return (
      <Alert color="yellow" variant="outline" role="status" title={t.staleAsOf(shown(asOf))} />
    );
  }
  return null;
}

/** Above every page, while nobody answers. */
export function Silent({ since }: { since: number }) {
  const t = useTexts(commonTexts);
  const at = formatInstant(new Date(since).toISOString(), timeZone.use());
  return <Alert color="yellow" variant="outline" role="status" mb="md" title={t.silent(at)} />;
}
