import { baseStyles } from './base-styles.ts';
import { createLauncherButton, type Look } from './launcher-button.ts';

/**
 * The one element that the widget adds to the page, at the end of <html>, where no framework
 * redraws.
 */
export type WidgetElement = {
  /** Empty, and the panel's alone. The theme's custom properties reach it. */
  panelRoot: ShadowRoot;
  show(look: Look, floating: boolean): void;
  /** Says a sentence for some seconds, where there is no panel to say it. */
  notify(sentence: string): void;
  remove(): void;
};

const noticeMs = 8_000;

export function addWidgetElement(onPress: () => void): WidgetElement {
  const element = document.createElement('tributary-widget');
  const root = element.attachShadow({ mode: 'open' });
  const launcher = createLauncherButton('floating', onPress);
  const panel = document.createElement('div');
  const panelRoot = panel.attachShadow({ mode: 'open' });
  const notice = document.createElement('div');
  notice.className = 'notice';
  notice.setAttribute('role', 'status');
  root.append(panel, notice);
  document.documentElement.append(element);
  liftUp(element);
  let noticeTimer: ReturnType<typeof setTimeout> | undefined;

  return {
    panelRoot,
    show(look, floating) {
      root.adoptedStyleSheets = [baseStyles(), look.theme];
      launcher.show(look);
      notice.lang = look.language;
      notice.dir = look.direction;
      if (!floating || !look.ready) launcher.button.remove();
      // Only once: an element that is put in again loses the focus.
      else if (!launcher.button.isConnected) root.prepend(launcher.button);
    },
    notify(sentence) {
      clearTimeout(noticeTimer);
      notice.textContent = sentence;
      noticeTimer = setTimeout(() => (notice.textContent = ''), noticeMs);
    },
    remove() {
      clearTimeout(noticeTimer);
      element.remove();
    },
  };
}

/** Into the top layer, where the browser has one for others than dialogs. */
function liftUp(element: HTMLElement): void {
  if (!('popover' in element)) return;
  element.popover = 'manual';
  element.showPopover();
}
