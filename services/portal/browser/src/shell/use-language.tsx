import { useEffect } from 'react';
import { language } from '../i18n/language.ts';

/** Says in which language the document is, for whatever reads it aloud. */
export function UseLanguage() {
  const chosen = language.use();
  useEffect(() => {
    document.documentElement.lang = chosen;
  }, [chosen]);
  return null;
}
