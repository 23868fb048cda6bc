import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';

/** As many steps as no page of the portal needs to get anywhere. */
const mostSteps = 150;

type Focused = { what: string; isInView: boolean; isOutlined: boolean };

/**
 * Somebody who has no mouse: Tab until something is focused, then keys. Whatever the focus comes to
 * on the way must be in view and show that it has the focus.
 */
export function keyboardOf(page: Page) {
  async function tabTo(wanted: Locator): Promise<void> {
    await wanted.first().waitFor();
    for (let step = 0; step < mostSteps; step++) {
      const isThere = (await wanted.and(page.locator(':focus')).count()) > 0;
      if (isThere) return;
      await page.keyboard.press('Tab');
      const { what, isInView, isOutlined } = await page.evaluate<Focused>(focused);
      expect(isInView, `${what}: focused out of sight`).to.equal(true);
      expect(isOutlined, `${what}: the focus is not to be seen`).to.equal(true);
    }
    throw new Error(`${String(wanted)} is not reached within ${mostSteps} steps`);
  }
  return {
    tabTo,
    /** Goes to a link or a button, and presses Enter. */
    async press(wanted: Locator): Promise<void> {
      await tabTo(wanted);
      await page.keyboard.press('Enter');
    },
    /** Goes to a field, and writes into it. */
    async write(wanted: Locator, text: string): Promise<void> {
      await tabTo(wanted);
      await page.keyboard.press('Control+A');
      await page.keyboard.type(text);
    },
  };
}

/** In the page: whether what has the focus can be seen, and be told from what has not. */
const focused = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) {
    return { what: 'the page itself', isInView: true, isOutlined: true };
  }
  const box = element.getBoundingClientRect();
  const isInView = box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
  // A field is marked at its border, or at what is drawn around it.
  const lookOf = (each) => {
    const { outlineStyle, outlineWidth, boxShadow, borderColor } = getComputedStyle(each);
    return { outline: outlineStyle !== 'none' && outlineWidth !== '0px', boxShadow, borderColor };
  };
  const around = [element, element.parentElement, element.parentElement?.parentElement];
  // A border that only begins to change its colour looks as before.
  around.forEach((each) => each?.style.setProperty('transition', 'none', 'important'));
  const looks = around.filter(Boolean).map(lookOf);
  element.blur();
  const without = around.filter(Boolean).map(lookOf);
  element.focus({ preventScroll: true, focusVisible: true });
  const isOutlined = looks.some((look, index) =>
    look.outline || look.boxShadow !== without[index].boxShadow ||
    look.borderColor !== without[index].borderColor);
  return { what: element.outerHTML.slice(0, 200), isInView, isOutlined };
})()`;
