import { patiently } from '@tributary/testkit/patience';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { sharedChromium } from './chromium.ts';

/** A person with a browser of their own: no cookies, nothing stored, and an eye on the console. */
export type Visitor = {
  context: BrowserContext;
  page: Page;
  /**
   * What the pages have complained of so far: errors and warnings of the console, uncaught errors,
   * unhandled rejections, violations of their security policies.
   */
  complaints(): string[];
  /**
   * The same without the browser's own note of a request that failed, which no script can keep
   * back.
   */
  complaintsOfScripts(): string[];
  /** Runs JavaScript given as text in the page, and awaits it; works under any security policy. */
  run<T>(expression: string): Promise<T>;
};

/** In a `describe`: gives visitors, and takes them away after each test. */
export function useVisitors(): (options?: BrowserContextOptions) => Promise<Visitor> {
  const contexts: BrowserContext[] = [];
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
  });
  return async (options = {}) => {
    const browser = await sharedChromium();
    const context = await browser.newContext({ locale: 'en-GB', ...options });
    contexts.push(context);
    return visitorOf(context, await context.newPage());
  };
}

/** Wraps a context that was opened elsewhere, and that is closed there. */
export async function visitorOf(context: BrowserContext, page: Page): Promise<Visitor> {
  context.setDefaultTimeout(patiently(15_000));
  const complaints: string[] = [];
  context.on('console', (message) => {
    if (!['error', 'warning', 'assert'].includes(message.type())) return;
    complaints.push(`${message.type()}: ${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (uncaught) => {
    complaints.push(`uncaught: ${uncaught.error().stack ?? uncaught.error().message}`);
  });
  const session = await context.newCDPSession(page);

  return {
    context,
    page,
    complaints: () => [...complaints],
    complaintsOfScripts: () =>
      complaints.filter((text) => !/^error: Failed to load resource/.test(text)),
    async run<T>(expression: string) {
      const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
        expression,
        awaitPromise: true,
        returnByValue: true,
      });
      if (exceptionDetails !== undefined) {
        const { exception, text } = exceptionDetails;
        throw new Error(`in the page: ${exception?.description ?? exception?.value ?? text}`);
      }
      return result.value as T;
    },
  };
}
