import { notifications } from '@mantine/notifications';
import { commonTexts } from '../i18n/common.ts';
import { language } from '../i18n/language.ts';

/** A sentence that something is done, which goes away by itself. */
export function tell(message: string): void {
  const { close } = commonTexts[language.get()];
  notifications.show({ message, closeButtonProps: { 'aria-label': close } });
}
