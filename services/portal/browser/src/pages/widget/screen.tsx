import { usePlace } from '../../app/place.ts';
import { useTexts } from '../../i18n/texts.ts';
import { PageFrame } from '../../parts/page-frame.tsx';
import { SameByApi } from '../../parts/same-by-api.tsx';
import { Domains } from './domains.tsx';
import { place } from './place.ts';
import { Settings } from './settings.tsx';
import { widgetTexts } from './texts.ts';

/** What the browser scripts may do, and where. */
export function Screen() {
  const t = useTexts(widgetTexts);
  const { tenantId } = usePlace(place);
  return (
    <PageFrame
      title={t.title}
      actions={<SameByApi name="showWidgetSettings" asked={{ path: { tenantId } }} />}
    >
      <Domains />
      <Settings />
    </PageFrame>
  );
}
