import type { Click, WidgetSession } from '@tributary/contracts/public/widget-session';
import type { WidgetTexts, WidgetTheme } from '@tributary/contracts/widget-settings';
import { readClick } from '../shared/click-cookie.ts';
import { askSession } from './ask-session.ts';
import type { BootOptions } from './boot-options.ts';
import { createLanguage, type Language } from './language.ts';
import { createSessionKeeper, type SessionKeeper } from './session-keeper.ts';
import { speak } from './speech.ts';
import { mergeThemes } from './theme.ts';
import { notBooted, unauthorized, unavailable } from './tributary-error.ts';

/** A session, and the language that it is told in: the one may bring texts for the other. */
export type SpokenSession = {
  keeper: SessionKeeper;
  language(): Language;
  theme(): WidgetTheme;
  /** What is known now, also of a service that cannot be reached any more. */
  known(): WidgetSession | undefined;
  /** As known, or the TributaryError that says why there is none. */
  required(): WidgetSession;
  stop(): void;
};

/** `options` is asked each time: a page may boot the same user again with other ones. */
export function createSpokenSession(url: string, options: () => BootOptions): SpokenSession {
  const stopping = new AbortController();
  const { signal } = stopping;
  let language = createLanguage({ code: 'en', direction: options().direction });
  let overlay: WidgetTexts | undefined;

  const keeper = createSessionKeeper({
    async ask() {
      const { token, productUserDetails } = options();
      const click = clickOfPage();
      const request = { token, productUserDetails, ...(click && { click }) };
      const text = speak(options(), overlay);
      const answer = await askSession(url, request, signal);
      // Whatever the answer is, it is told in the visitor's language.
      language = await text;
      return answer;
    },
    waitMs: (duration) => new Promise((resolve) => setTimeout(resolve, duration)),
    async prepare(session) {
      overlay = session.texts;
      language = await speak(options(), overlay);
      return { ...session, theme: mergeThemes(session.theme, options().theme) };
    },
  });
  const known = (): WidgetSession | undefined => {
    const state = keeper.state();
    return 'session' in state ? state.session : undefined;
  };

  return {
    keeper,
    language: () => language,
    theme: () => known()?.theme ?? mergeThemes(options().theme),
    known,
    required() {
      if (signal.aborted) throw notBooted();
      const session = known();
      if (session) return session;
      throw keeper.state().status === 'unauthorized' ? unauthorized() : unavailable();
    },
    stop() {
      stopping.abort();
      keeper.stop();
    },
  };
}

/** A page in a sandboxed frame has no cookies to ask for, and says so by an exception. */
function clickOfPage(): Click | undefined {
  try {
    return readClick(document.cookie);
  } catch {
    return undefined;
  }
}
