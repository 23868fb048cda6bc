import type { Locator, Page } from 'playwright-core';

/** What people see of the widget in English, found as assistive technology finds it. */

export function launcherOf(page: Page): Locator {
  return page.getByRole('button', { name: 'Invite friends' });
}

export function panelOf(page: Page): Locator {
  return page.getByRole('dialog');
}

/** The invite link in the open panel; waits for it. */
export async function linkShown(page: Page): Promise<string> {
  return panelOf(page).getByRole('textbox').inputValue();
}

/** Waits until what moves in the panel has come to rest. */
export async function panelAtRest(page: Page): Promise<void> {
  await panelOf(page).evaluate(async (one: InPage) => {
    const moving = one
      .getAnimations({ subtree: true })
      .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(moving.map(({ finished }) => finished));
  });
}

export async function isFocused(element: Locator): Promise<boolean> {
  return element.evaluate((one: InPage) => one.getRootNode().activeElement === one);
}

const lookedAt = [
  ...['color', 'backgroundColor', 'fontFamily', 'fontSize', 'fontWeight', 'lineHeight'],
  ...['letterSpacing', 'opacity', 'direction', 'display', 'visibility', 'padding', 'margin'],
  ...['boxSizing', 'borderRadius', 'textAlign', 'cursor', 'pointerEvents'],
];

/** Place, size and computed looks of an element. */
export async function lookOf(element: Locator): Promise<object> {
  return element.evaluate((one: InPage, names: string[]) => {
    const { x, y, width, height } = one.getBoundingClientRect();
    const style = one.ownerDocument.defaultView.getComputedStyle(one);
    const looks = names.map((name) => [name, style[name]]);
    return { box: [x, y, width, height].map(Math.round), ...Object.fromEntries(looks) } as object;
  }, lookedAt);
}

/** As much of an element as is used here: the types of this program are those of Node. */
type InPage = {
  getRootNode(): { activeElement: unknown };
  getBoundingClientRect(): { x: number; y: number; width: number; height: number };
  getAnimations(options: { subtree: boolean }): {
    finished: Promise<unknown>;
    effect: { getComputedTiming(): { endTime: unknown } };
  }[];
  ownerDocument: { defaultView: { getComputedStyle(one: unknown): Record<string, string> } };
};
