import { Text } from '@mantine/core';
import { commonTexts } from '../i18n/common.ts';
import { useTexts } from '../i18n/texts.ts';
import { PageFrame } from '../parts/page-frame.tsx';

export function MissingPage() {
  const t = useTexts(commonTexts);
  return (
    <PageFrame title={t.missingTitle}>
      <Text>{t.missing}</Text>
    </PageFrame>
  );
}
