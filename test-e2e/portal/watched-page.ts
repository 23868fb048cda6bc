import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';

/** A page of which everything is noted that no page of the portal may ever do. */
export type WatchedPage = {
  page: Page;
  /** Console errors, exceptions, reports of the policy, requests to elsewhere. */
  complaints: string[];
};

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export async function watchedPage(context: BrowserContext, baseUrl: string): Promise<WatchedPage> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      complaints.push(`${message.type()}: ${message.text()}`);
    }
  });
  page.on('pageerror', (error) => complaints.push(`exception: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(baseUrl) && !url.startsWith('data:') && !url.startsWith('blob:')) {
      complaints.push(`asked elsewhere: ${url}`);
    }
  });
  await page.exposeFunction('noteViolation', (text: string) => complaints.push(text));
  await page.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    noteViolation('policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample));`);
  return { page, complaints };
}

type Result = { id: string; help: string; nodes: { html: string; failureSummary?: string }[] };

/**
 * What axe finds: every rule of WCAG 2.2 A and AA and the best practices. It is put into the page
 * by the debugger, as the page's policy takes no script from elsewhere; once for each document, as
 * reading it takes longer than what it does.
 */
export async function axeFindingsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe);
  const found = await page.evaluate<Result[]>(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  );
  return found.map(({ id, help, nodes }) => {
    const where = nodes.map((node) => `${node.html} ${node.failureSummary ?? ''}`).join('\n  ');
    return `${id}: ${help}\n  ${where}`;
  });
}

export const widths = { phone: 360, tablet: 820, desktop: 1920 } as const;
export type Width = keyof typeof widths;
export const schemes = ['light', 'dark'] as const;
export type Scheme = (typeof schemes)[number];

/** Lays the page out anew, without loading it again. */
export async function showIn(page: Page, width: Width, scheme: Scheme): Promise<void> {
  await page.setViewportSize({ width: widths[width], height: 900 });
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor();
}

type Look = readonly [Width, Scheme];

/** Both schemes on a phone, where most is in the way of something, and all widths. */
export const allLooks: readonly Look[] = [
  ['phone', 'light'],
  ['phone', 'dark'],
  ['tablet', 'dark'],
  ['desktop', 'light'],
];

const pairs: readonly (readonly Look[])[] = [
  [
    ['phone', 'light'],
    ['desktop', 'dark'],
  ],
  [
    ['tablet', 'light'],
    ['phone', 'dark'],
  ],
  [
    ['desktop', 'light'],
    ['tablet', 'dark'],
  ],
];

/** Two of the six in turn, for what is there in many forms: a look takes a second. */
export function looksInTurn(index: number): readonly Look[] {
  return pairs[index % pairs.length]!;
}

/** In each look: nothing that axe finds, and nothing wider than the window. */
export async function isFine(page: Page, looks: readonly Look[]): Promise<void> {
  for (const [width, scheme] of looks) {
    await showIn(page, width, scheme);
    expect(await axeFindingsOf(page), `${width}, ${scheme}`).to.deep.equal([]);
    expect(await overflowOf(page), `${width}: wider than the window`).to.equal(0);
  }
}

/** By how many pixels a page can be scrolled sideways. */
async function overflowOf(page: Page): Promise<number> {
  return page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
}
