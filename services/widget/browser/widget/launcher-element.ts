import { createLauncherButton, type Look } from './launcher-button.ts';
import { baseStyles } from './base-styles.ts';

/** What the `<tributary-launcher>` elements of a page ask, and whom they tell. */
export type Launchers = {
  /** Those that are in the page now. */
  count(): number;
  /** undefined: nothing is booted, and they hold their place without being seen. */
  show(look: Look | undefined): void;
};

type Reactions = { onPress(): void; onCountChange(): void };

const elementName = 'tributary-launcher';

/**
 * Defines the element, also for those that are in the page already. Their markup may come before or
 * after boot, and go again with a view of the page.
 */
export function defineLaunchers({ onPress, onCountChange }: Reactions): Launchers {
  const present = new Set<{ show(look: Look | undefined): void }>();
  let current: Look | undefined;

  class TributaryLauncher extends HTMLElement {
    readonly #button = createLauncherButton('inline', onPress);
    readonly #root = this.attachShadow({ mode: 'open', delegatesFocus: true });

    connectedCallback(): void {
      if (!this.#root.firstChild) this.#root.append(this.#button.button);
      present.add(this);
      this.show(current);
      onCountChange();
    }

    disconnectedCallback(): void {
      present.delete(this);
      onCountChange();
    }

    show(look: Look | undefined): void {
      this.#root.adoptedStyleSheets = look ? [baseStyles(), look.theme] : [baseStyles()];
      this.toggleAttribute('data-waiting', !look?.ready);
      if (look) this.#button.show(look);
    }
  }

  if (!customElements.get(elementName)) customElements.define(elementName, TributaryLauncher);
  return {
    count: () => present.size,
    show(look) {
      current = look;
      for (const launcher of present) launcher.show(look);
    },
  };
}
