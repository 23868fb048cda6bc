import { commonTexts } from '../i18n/common.ts';
import { useTexts } from '../i18n/texts.ts';
import { Time } from './time.tsx';

/** What the first revision of a campaign holds from: whatever occurred, it is not before it. */
const always = '0000-01-01T00:00:00.000Z';

/** From when something holds. */
export function Since({ at }: { at: string }) {
  const t = useTexts(commonTexts);
  return at === always ? <>{t.always}</> : <Time at={at} />;
}
