import { eventually } from '@tributary/testkit/eventually';
import { patience } from '@tributary/testkit/patience';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { sharedDemo } from '../shared-stack.ts';
import { type OpenedPage, openPageAs } from './opened-page.ts';

// What a chart draws is pixels, which no style sheet changes later.

describe('the charts of the overview, in the browser', function () {
  this.timeout(60_000 * patience);
  let opened: OpenedPage;
  let page: Page;

  before(async () => {
    const demo = await sharedDemo();
    const { tenantId } = demo.tenants[0]!;
    opened = await openPageAs(demo, 'analyst', { tenantId, colorScheme: 'light' });
    ({ page } = opened);
    await opened.open('overview');
    await page.locator('canvas').nth(3).waitFor();
  });
  after(() => opened?.close());

  it('have labels that can be read after the colour scheme has changed', async () => {
    await eventually(async () => expect((await brightness()).darkest).to.be.below(60));
    await page.emulateMedia({ colorScheme: 'dark' });
    await eventually(async () => {
      const { darkest, brightest } = await brightness();
      expect(brightest).to.be.above(150);
      expect(darkest).to.be.above(30);
    });
    await page.emulateMedia({ colorScheme: 'light' });
    await eventually(async () => expect((await brightness()).darkest).to.be.below(60));
  });

  /** The darkest and the brightest grey that a chart has fully drawn, 0 to 255. */
  const brightness = () =>
    page.evaluate<{ darkest: number; brightest: number }>(`(() => {
      const canvas = document.querySelector('canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const found = [];
      for (let i = 0; i < data.length; i += 4) {
        const [red, green, blue, alpha] = data.slice(i, i + 4);
        const isGrey = Math.max(red, green, blue) - Math.min(red, green, blue) < 12;
        if (alpha === 255 && isGrey) found.push(red);
      }
      found.sort((a, b) => a - b);
      return { darkest: found[0], brightest: found.at(-1) };
    })()`);
});
