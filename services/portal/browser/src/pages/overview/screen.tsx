import { PageFrame } from '../../parts/page-frame.tsx';
import { useTexts } from '../../i18n/texts.ts';
import { FirstRun } from './first-run.tsx';
import { PerDay } from './per-day.tsx';
import { SetUp } from './set-up.tsx';
import { overviewTexts } from './texts.ts';
import { Waiting } from './waiting.tsx';

/** Where a tenant stands: what is set up, what waits for somebody, what happened lately. */
export function Screen() {
  const t = useTexts(overviewTexts);
  return (
    <PageFrame title={t.title}>
      <Waiting />
      <FirstRun />
      <SetUp />
      <PerDay />
    </PageFrame>
  );
}
