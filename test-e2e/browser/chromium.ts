import { chromiumProgram } from '@tributary/testkit/chromium-program';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';

let browser: Promise<Browser> | undefined;

/** One browser for all specs of a mocha process; what is theirs alone is a context of it. */
export async function sharedChromium(): Promise<Browser> {
  return (browser ??= chromium.launch(settings()));
}

after(async () => {
  await (await browser)?.close();
});

/**
 * Every `*.example` is this machine, so that pages have real host names with subdomains. Pages
 * that the tests answer in place of an https server count as public ones, which may not ask
 * addresses of this machine without a person's consent.
 */
const flags = [
  '--host-resolver-rules=MAP *.example 127.0.0.1',
  '--disable-features=LocalNetworkAccessChecks',
  '--no-proxy-server',
];

function settings() {
  return {
    executablePath: chromiumProgram(),
    // Chromium refuses its sandbox to root, which is who runs in containers.
    args: process.getuid?.() === 0 ? [...flags, '--no-sandbox'] : flags,
  };
}

/**
 * Another browser, with a profile of its own and the preferences written in it; the caller closes
 * it.
 */
export async function launchProfile(directory: string): Promise<BrowserContext> {
  return chromium.launchPersistentContext(directory, settings());
}
