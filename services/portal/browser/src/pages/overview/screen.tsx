import { usePlace } from '../../app/place.ts';
import { PageFrame } from '../../parts/page-frame.tsx';
import { SameByApi } from '../../parts/same-by-api.tsx';
import { useTexts } from '../../i18n/texts.ts';
import { FirstRun } from './first-run.tsx';
import { PerDay, periodOf } from './per-day.tsx';
import { place } from './place.ts';
import { SetUp } from './set-up.tsx';
import { overviewTexts } from './texts.ts';
import { Waiting } from './waiting.tsx';

/** Where a tenant stands: what is set up, what waits for somebody, what happened lately. */
export function Screen() {
  const t = useTexts(overviewTexts);
  const { tenantId, search } = usePlace(place);
  const asked = { path: { tenantId }, query: { of: 'events', ...periodOf(search) } };
  return (
    <PageFrame title={t.title} actions={<SameByApi name="readSeries" asked={asked} />}>
      <Waiting />
      <FirstRun />
      <SetUp />
      <PerDay />
    </PageFrame>
  );
}
