import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { commonTexts } from '../i18n/common.ts';
import { useTexts } from '../i18n/texts.ts';

/** Copies a text; without one, the address of this page, which says all that it shows. */
export function CopyButton({ text, label }: { text?: string; label?: string }) {
  const t = useTexts(commonTexts);
  const clipboard = useClipboard();
  return (
    <Button
      variant="default"
      size="compact-sm"
      onClick={() => clipboard.copy(text ?? location.href)}
    >
      <span aria-live="polite">
        {clipboard.copied ? t.copied : (label ?? (text === undefined ? t.copyLink : t.copy))}
      </span>
    </Button>
  );
}
