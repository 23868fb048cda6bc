import { createServer, type Server } from 'node:http';
import type { TributaryClient } from '../../packages/client/src/client.ts';
import { createReporter } from './reporter.ts';
import { type Answer, readForm, redirect, send } from './shop-http.ts';
import { assetAnswer } from './shop-assets.ts';
import { createShopPages } from './shop-pages.ts';
import { createShopDesk } from './shop-desk.ts';
import { createSessions } from './sessions.ts';
import { createShopStore } from './shop-store.ts';

export type ShopSettings = {
  client: TributaryClient;
  /** Where browsers get the scripts. */
  assetsUrl: string;
  /** The shop's address, as browsers know it. */
  shopUrl: string;
  productId: string;
  /** Stays here: it signs the widget's tokens. */
  productSecret: string;
  /** The customer who is there from the start, and refers. */
  referrer: { id: string; name: string; email: string };
  file: string | undefined;
  say: (line: string) => void;
};

/**
 * A customer of the referral service: a small shop whose public pages have the attribution script,
 * whose account page has the widget, and whose server reports sign-ups, purchases and refunds.
 */
export function createShop(settings: ShopSettings): { server: Server; stop(): Promise<void> } {
  const store = createShopStore(settings.file);
  if (store.customer(settings.referrer.id) === undefined) {
    store.addCustomer({ ...settings.referrer, ucc: undefined, since: new Date().toISOString() });
  }
  const reporter = createReporter({ client: settings.client, store, say: settings.say });
  const sessions = createSessions();
  const pages = createShopPages({ ...settings, store });
  const desk = createShopDesk({ ...settings, store, sessions, reporter });
  reporter.wake();

  const server = createServer((req, res) => {
    const context = { assetsUrl: settings.assetsUrl };
    answerTo(req).then(
      (answer) => send(req, res, answer, context),
      (error: unknown) => {
        settings.say(`a request failed: ${error instanceof Error ? error.message : String(error)}`);
        if (!res.headersSent) send(req, res, { status: 500, text: 'Something broke.' }, context);
      },
    );
  });

  async function answerTo(req: Parameters<typeof readForm>[0]): Promise<Answer> {
    // By hand: a path that begins with `//` would be a host to URL.
    const [path = '/', query = ''] = (req.url ?? '/').split('?', 2);
    const customer = store.customer(sessions.customerId(req) ?? '');
    if (req.method === 'GET' || req.method === 'HEAD') {
      if (path === '/readyz') return { status: 200, text: 'ready' };
      const page = pages.at(path, { customer, query: new URLSearchParams(query) });
      return page ?? (await assetAnswer(path)) ?? notFound;
    }
    if (req.method !== 'POST')
      return { status: 405, text: 'Only GET and POST.', allow: 'GET, POST' };
    const form = await readForm(req);
    if (form === undefined) return { status: 400, text: 'That was no form.' };
    return (await desk.at(path, { customer, form, req })) ?? redirect('/');
  }

  return {
    server,
    async stop() {
      server.close();
      server.closeAllConnections();
      await reporter.stop();
    },
  };
}

const notFound: Answer = { status: 404, text: 'There is no such page.' };
