import type { Browser, CDPSession, Page } from 'playwright-core';
import { readTrace, type Traced } from './read-trace.ts';
import type { Variant } from './host-pages.ts';

/** One load of a page, in milliseconds and bytes. */
export type PageLoad = Traced & {
  /** The whole main thread, from navigation until everything is there. */
  mainThreadMs: number;
  firstPaintMs: number;
  /** From navigation until the launcher is in the page; of pages with the widget. */
  launcherMs: number | undefined;
  /** As they came over the wire, of the assets. */
  assetBytes: number;
};

/**
 * Opening the panel for the first time: its chunk is loaded, the session asked, the dialog shown.
 */
export type PanelOpening = Traced & { openMs: number; assetBytes: number };

/**
 * Loads a page in a browser that has cached nothing, with the processor slowed down by a factor as
 * Lighthouse does for phones (4).
 */
export async function measurePage(
  browser: Browser,
  about: { url: string; variant: Variant; slowdown: number },
): Promise<{ load: PageLoad; panel: PanelOpening | undefined }> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  try {
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    await cdp.send('Performance.enable');
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: about.slowdown });
    const load = await measureLoad(browser, page, cdp, about);
    const hasWidget = about.variant === 'widget' || about.variant === 'both';
    const panel = hasWidget ? await measureOpening(browser, page) : undefined;
    return { load, panel };
  } finally {
    await context.close();
  }
}

const categories = ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'v8'];

async function measureLoad(
  browser: Browser,
  page: Page,
  cdp: CDPSession,
  { url, variant }: { url: string; variant: Variant },
): Promise<PageLoad> {
  await browser.startTracing(page, { categories });
  await page.goto(url, { waitUntil: 'load' });
  await page.waitForFunction(readyWhen[variant], undefined, { timeout: 30_000 });
  await settle(page);
  const traced = readTrace(await browser.stopTracing());
  const { metrics } = await cdp.send('Performance.getMetrics');
  const taskSeconds = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN;
  const seen = await page.evaluate(readTimings);
  return { ...traced, mainThreadMs: taskSeconds * 1_000, ...seen };
}

async function measureOpening(browser: Browser, page: Page): Promise<PanelOpening> {
  const before = await page.evaluate(readTimings);
  await browser.startTracing(page, { categories });
  const openMs = await page.evaluate(openPanel);
  await settle(page);
  const traced = readTrace(await browser.stopTracing());
  const after = await page.evaluate(readTimings);
  return { ...traced, openMs, assetBytes: after.assetBytes - before.assetBytes };
}

const readyWhen: Record<Variant, string> = {
  nothing: 'true',
  attribution: `document.cookie.includes('tributary_ucc') && performance.getEntriesByType('resource').some((r) => r.name.includes('/widget/campaign-config') && r.responseEnd > 0)`,
  widget: `window.booted !== undefined`,
  both: `window.booted !== undefined && document.cookie.includes('tributary_ucc')`,
};

/** Until two frames have been painted with nothing to do in between. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(`new Promise((done) => requestIdleCallback(() =>
    requestAnimationFrame(() => requestAnimationFrame(() => done(undefined))), { timeout: 5000 }))`);
}

// Texts, not functions: these run in the page, whose types this program does not know.
const readTimings = `(() => {
  const resources = performance.getEntriesByType('resource');
  const assets = resources.filter((r) => /\\/(app|attribution)\\/latest\\//.test(r.name));
  const session = resources.find((r) => r.name.includes('/widget/session'));
  return {
    firstPaintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
    launcherMs: session?.responseEnd,
    assetBytes: assets.reduce((sum, r) => sum + r.encodedBodySize, 0),
  };
})()` as unknown as () => {
  firstPaintMs: number;
  launcherMs: number | undefined;
  assetBytes: number;
};

const openPanel = `(async () => {
  const rootsIn = (root) => [...root.querySelectorAll('*')].flatMap(({ shadowRoot }) =>
    shadowRoot ? [shadowRoot, ...rootsIn(shadowRoot)] : []);
  const isOpen = () => rootsIn(document).some((root) => root.querySelector('dialog') !== null);
  const frame = () => new Promise((next) => requestAnimationFrame(next));
  const startedMs = performance.now();
  window.booted.open();
  while (!isOpen()) {
    if (performance.now() - startedMs > 20_000) throw new Error('the panel did not open in 20 s');
    await frame();
  }
  await frame();
  await frame();
  return performance.now() - startedMs;
})()` as unknown as () => Promise<number>;
