import { readBootOptions, userOfToken } from './boot-options.ts';
import { type BootedWidget, createBootedWidget } from './booted-widget.ts';
import { createEventListeners } from './event-listeners.ts';
import { defineLaunchers } from './launcher-element.ts';
import { createPanelLoader } from './load-panel.ts';
import type { WidgetEvents } from './panel-contract.ts';
import { notBooted, TributaryError } from './tributary-error.ts';

/**
 * What a command of the queue receives (interface 4.7 rule 3). Promises reject with a
 * TributaryError.
 */
export type TributaryWidget = {
  /** Shows the widget for the user of the token. Resolves when their session is there. */
  boot(options: unknown): Promise<void>;
  /**
   * All texts of the widget's language, each rule and the reward in words (interface 4.7 rule 4).
   */
  getLabels(): Promise<Record<string, string>>;
  /** null: there is nothing to invite to just now. */
  getLink(): Promise<{ ucc: string; link: string } | null>;
  open(): Promise<void>;
  close(): void;
  /** Gives the way to stop it. A listener outlives shutdown and the next boot. */
  on<E extends keyof WidgetEvents>(
    event: E,
    listener: (detail: WidgetEvents[E]) => void,
  ): () => void;
  /** Takes all away that boot brought. */
  shutdown(): void;
};

/** @param entryUrl where the script itself came from; what it asks is there, too. */
export function createTributary(entryUrl: string): TributaryWidget {
  const { on, emit } = createEventListeners(reportError);
  // Before the launchers: those that are in the page already speak up while they are defined.
  let booted: { user: string; widget: BootedWidget } | undefined;
  const launchers = defineLaunchers({
    onPress: () => booted?.widget.toggle(),
    onCountChange: () => booted?.widget.show(),
  });
  const context = {
    sessionUrl: new globalThis.URL('/widget/session', entryUrl).href,
    loadPanel: createPanelLoader(entryUrl),
    launchers,
    emit,
  };
  const shutdown = (): void => {
    const { widget } = booted ?? {};
    booted = undefined;
    widget?.end();
  };
  const required = (): BootedWidget => {
    if (!booted) throw notBooted();
    return booted.widget;
  };

  return Object.freeze<TributaryWidget>({
    async boot(given) {
      const options = readBootOptions(given);
      const user = userOfToken(options.token);
      if (booted?.user !== user) {
        shutdown();
        booted = { user, widget: createBootedWidget(options, context) };
      }
      const { widget } = booted;
      try {
        await widget.boot(options);
      } catch (error) {
        // There is nothing that a visitor could do about it, so there is nothing to see.
        const isHopeless =
          error instanceof TributaryError && error.code === 'INVALID_CONFIGURATION';
        if (isHopeless && booted?.widget === widget) shutdown();
        throw error;
      }
    },
    getLabels: async () => required().labels(),
    getLink: async () => required().link(),
    open: async () => required().open(),
    close: () => booted?.widget.close(),
    on,
    shutdown,
  });
}
