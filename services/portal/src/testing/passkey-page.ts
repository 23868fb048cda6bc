import { chromiumProgram } from '@tributary/testkit/chromium-program';
import { patiently } from '@tributary/testkit/patience';
import { chromium, type CDPSession, type Page as BrowserPage } from 'playwright-core';
import type { AnswerBody } from './test-portal.ts';

export type Json = Record<string, unknown>;

type Credential = Awaited<ReturnType<typeof credentialsOf>>[number];

/**
 * A real Chromium with an authenticator of its own, on a page that has nothing but what asks for
 * passkeys. The page is the spec's; what it asks, the portal answers.
 */
export async function startPasskeyBrowser() {
  const browser = await chromium.launch({
    executablePath: chromiumProgram(),
    timeout: patiently(30_000),
    // Chromium refuses its sandbox to root, which is who runs in containers.
    args: ['--no-proxy-server', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });

  async function openPage(origin: string) {
    const context = await browser.newContext();
    context.setDefaultTimeout(patiently(30_000));
    const page = await context.newPage();
    await page.route(`${origin}/portal/spec`, (route) =>
      route.fulfill({ contentType: 'text/html', body: `<script>${script}</script>` }),
    );
    await page.goto(`${origin}/portal/spec`);
    const cdp = await context.newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    return { ...asking(page), ...authenticators(cdp), close: () => context.close() };
  }
  return { openPage, close: () => browser.close() };
}

export type PasskeyPage = Awaited<
  ReturnType<Awaited<ReturnType<typeof startPasskeyBrowser>>['openPage']>
>;

const script = `
  const ask = async (method, path, body, headers) => {
    const sent = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await fetch(path, {
      method, headers: { ...sent, ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return { status: answer.status, body: await answer.json() };
  };
  const make = async (json) => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(json);
    return (await navigator.credentials.create({ publicKey })).toJSON();
  };
  const use = async (json) => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(json);
    return (await navigator.credentials.get({ publicKey })).toJSON();
  };
`;

function asking(page: BrowserPage) {
  const run = <T>(name: string, ...args: unknown[]): Promise<T> =>
    page.evaluate<T>(`${name}(${args.map((one) => JSON.stringify(one) ?? 'undefined').join()})`);
  let csrfToken = '';
  return {
    /** As a page of the portal asks; who signs in is remembered. */
    async call(method: string, path: string, body?: unknown) {
      type Answer = { status: number; body: AnswerBody };
      const headers = { 'x-csrf-token': csrfToken };
      const answer = await run<Answer>('ask', method, path, body, headers);
      const token = answer.body['csrfToken'];
      if (typeof token === 'string') csrfToken = token;
      return answer;
    },
    make: (options: unknown) => run<Json>('make', options),
    use: (options: unknown) => run<Json>('use', options),
  };
}

function authenticators(cdp: CDPSession) {
  let authenticatorId = '';
  return {
    /** A device with a screen lock; without `isUserVerified` its owner does not unlock it. */
    async plugIn({ isUserVerified = true } = {}) {
      const options = {
        ...({ protocol: 'ctap2', transport: 'internal' } as const),
        ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified },
        automaticPresenceSimulation: true,
      };
      const added = await cdp.send('WebAuthn.addVirtualAuthenticator', { options });
      authenticatorId = added.authenticatorId;
    },
    unplug: () => cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId }),
    /** What is on the device, keys and all. */
    credentials: () => credentialsOf(cdp, authenticatorId),
    /** As a thief has it: the same key on another device, which counts by itself. */
    async copyOf(credential: Credential, signCount: number) {
      await cdp.send('WebAuthn.clearCredentials', { authenticatorId });
      await add({ ...credential, signCount });
    },
    verifyUser: (isUserVerified: boolean) =>
      cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  };

  async function add(credential: Credential) {
    await cdp.send('WebAuthn.addCredential', { authenticatorId, credential });
  }
}

async function credentialsOf(cdp: CDPSession, authenticatorId: string) {
  return (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
}
