import { eventually } from '@tributary/testkit/eventually';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { type Focus, lookAtFocus } from './focus.ts';

/** As many steps as no page of the portal needs to get anywhere. */
const mostSteps = 150;

export type Keyboard = ReturnType<typeof keyboardOf>;

/**
 * Somebody who has no mouse: Tab until something is focused, then keys. Whatever the focus comes to
 * on the way must be in view, show that it has the focus, and be in the dialog that is open.
 */
export function keyboardOf(page: Page) {
  let former = 'nothing';
  async function step(key: 'Tab' | 'Shift+Tab'): Promise<Focus> {
    await page.keyboard.press(key);
    const focus = await page.evaluate<Focus>(lookAtFocus);
    expect(focus.complaints, `${focus.what}, by ${key} after ${former}`).to.deep.equal([]);
    former = focus.what;
    return focus;
  }
  const isFocused = async (wanted: Locator) =>
    (await wanted.and(page.locator(':focus')).count()) > 0;

  /** As whoever sees the page would: backwards to what is before the focus. */
  async function tabTo(wanted: Locator): Promise<void> {
    await wanted.waitFor();
    const key = (await wanted.evaluate(isBeforeFocus)) ? 'Shift+Tab' : 'Tab';
    for (let steps = 0; !(await isFocused(wanted)); steps++) {
      if (steps === mostSteps) throw new Error(`${String(wanted)} is not reached`);
      await step(key);
    }
  }

  async function press(wanted: Locator, key = 'Enter'): Promise<void> {
    await tabTo(wanted);
    await page.keyboard.press(key);
  }

  return {
    step,
    tabTo,
    press,
    /** Goes to a field, and writes into it instead of what it holds. */
    async write(wanted: Locator, text: string): Promise<void> {
      await tabTo(wanted);
      await page.keyboard.press('Control+A');
      await page.keyboard.type(text);
    },
    /** Goes to a list of choices, and down it to one. */
    async choose(wanted: Locator, value: string): Promise<void> {
      await tabTo(wanted);
      for (let steps = 0; (await wanted.inputValue()) !== value; steps++) {
        if (steps === mostSteps) throw new Error(`${value} is not among the choices`);
        await page.keyboard.press('ArrowDown');
      }
    },
    /** Opens a dialog, which takes the focus and keeps it, all the way round. */
    async open(wanted: Locator, dialog: Locator): Promise<void> {
      await press(wanted);
      await focusIsIn(dialog);
      await step('Tab');
      const first = await page.evaluateHandle<InPage>('document.activeElement');
      await step('Tab');
      for (let steps = 1; !(await first.evaluate(hasFocus)); steps++) {
        if (steps === mostSteps) throw new Error(`${String(dialog)}: Tab does not come round`);
        await step('Tab');
      }
      await step('Shift+Tab');
    },
    /** After a dialog has gone, the focus is where it was opened. */
    async isBackAt(dialog: Locator, opener: Locator): Promise<void> {
      await dialog.waitFor({ state: 'detached' });
      await eventually(async () => {
        const focus = await page.evaluate<Focus>(lookAtFocus);
        expect(await isFocused(opener), `${focus.what} has the focus`).to.equal(true);
        expect(focus.complaints, focus.what).to.deep.equal([]);
      });
    },
  };

  async function focusIsIn(dialog: Locator): Promise<void> {
    await dialog.waitFor();
    await eventually(async () => {
      const focused = dialog.locator(':focus').or(dialog.and(page.locator(':focus')));
      expect(await focused.count(), `focus in ${String(dialog)}`).to.equal(1);
    });
  }
}

type InPage = {
  ownerDocument: { activeElement: InPage; body: InPage };
  compareDocumentPosition: (other: InPage) => number;
};

/**
 * Run in the page: by itself, as its place is another one when something comes or goes before it.
 */
function hasFocus(element: InPage): boolean {
  return element.ownerDocument.activeElement === element;
}

/** Run in the page: whether an element comes before what has the focus. */
function isBeforeFocus(element: InPage): boolean {
  const preceding = 2;
  const { activeElement, body } = element.ownerDocument;
  return (
    activeElement !== body && (activeElement.compareDocumentPosition(element) & preceding) !== 0
  );
}
