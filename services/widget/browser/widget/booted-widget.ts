import type { BootOptions } from './boot-options.ts';
import { keepFresh } from './freshness.ts';
import type { Launchers } from './launcher-element.ts';
import { createLooks, floats } from './launcher-look.ts';
import type { PanelModule, WidgetEvents } from './panel-contract.ts';
import { createPanelOpener } from './panel-opener.ts';
import { labelsOf } from './rule-texts.ts';
import { createSpokenSession } from './spoken-session.ts';
import { addWidgetElement } from './widget-element.ts';

/** The widget of one user, from boot until shutdown or another user's boot. */
export type BootedWidget = {
  /** Also again, with a newer token or other options of the same user. */
  boot(options: BootOptions): Promise<void>;
  /** Resolves when the panel is there, or a notice that it cannot be had. */
  open(): Promise<void>;
  close(): void;
  toggle(): void;
  labels(): Promise<Record<string, string>>;
  link(): Promise<{ ucc: string; link: string } | null>;
  /** Draws the launchers again: one came to the page, or went. */
  show(): void;
  end(): void;
};

export type WidgetContext = {
  sessionUrl: string;
  launchers: Launchers;
  loadPanel(): Promise<PanelModule | undefined>;
  emit<E extends keyof WidgetEvents>(event: E, detail: WidgetEvents[E]): void;
};

export function createBootedWidget(
  first: BootOptions,
  { sessionUrl, launchers, loadPanel, emit }: WidgetContext,
): BootedWidget {
  let options = first;
  const spoken = createSpokenSession(sessionUrl, () => options);
  const { keeper } = spoken;
  const status = () => keeper.state().status;
  const element = addWidgetElement(() => toggle());
  const panel = createPanelOpener({
    loadPanel,
    host: {
      root: element.panelRoot,
      state: keeper.state,
      subscribe: keeper.subscribe,
      get language() {
        return spoken.language();
      },
      refresh: () => void keeper.refresh(),
      close: () => panel.close(),
      emit,
    },
    onChange: () => show(),
    onFailure: () => element.notify(spoken.language().text('error.unavailable')),
  });
  const stopRefreshing = keepFresh({
    isOpen: panel.isOpen,
    isUnavailable: () => status() === 'unavailable',
    refresh: () => void keeper.refresh(status() === 'ready'),
  });

  const lookOf = createLooks();
  /** Until the first answer there is no theme and no language to show a launcher in. */
  let ready = false;
  function show(): void {
    ready ||= status() !== 'loading';
    const [theme, language] = [spoken.theme(), spoken.language()];
    const look = lookOf({ theme, language, ready, open: panel.isOpen() });
    element.show(look, floats(options, launchers.count()));
    launchers.show(look);
  }

  async function open(): Promise<void> {
    // With the panel on its way already, its news are too.
    if (!panel.isOpen() && status() !== 'loading') void keeper.refresh(status() === 'ready');
    await panel.open();
  }

  function toggle(): void {
    if (panel.isOpen()) panel.close();
    else void open();
  }

  keeper.subscribe(show);
  show();
  let booting: Promise<void> | undefined;
  /** A boot that is under way is waited for; what came later than it counts, too. */
  const afterBoot = async (): Promise<void> => booting?.catch(() => undefined);

  return {
    boot(given) {
      const isSame = JSON.stringify(given) === JSON.stringify(options);
      options = given;
      if (booting && isSame) return booting;
      const started = keeper.start();
      booting = started;
      // A boot that failed is no reason not to try again with the same options.
      started.catch(() => booting === started && (booting = undefined));
      return started;
    },
    open,
    close: panel.close,
    toggle,
    async labels() {
      await afterBoot();
      return labelsOf(spoken.required(), spoken.language());
    },
    async link() {
      await afterBoot();
      const { invite } = spoken.required();
      return invite && { ucc: invite.ucc, link: invite.link };
    },
    show,
    end() {
      panel.close();
      spoken.stop();
      stopRefreshing();
      launchers.show(undefined);
      element.remove();
    },
  };
}
