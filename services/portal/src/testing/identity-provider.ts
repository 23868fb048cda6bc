import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { freePort } from '@tributary/testkit/free-port';
import Provider from 'oidc-provider';

export type ProviderUser = { email: string; email_verified: boolean; name?: string };

/** The client that the portal is there. */
export const providerClient = { clientId: 'tributary', clientSecret: 'a secret of the provider' };

/**
 * A real provider of OpenID Connect, certified as such, on this machine. Whoever is sent there is
 * whom the spec says, without a page to click on.
 */
export async function startIdentityProvider(redirectUri: string) {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const users = new Map<string, ProviderUser>();
  let subject = '';
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: providerClient.clientId,
        client_secret: providerClient.clientSecret,
        redirect_uris: [redirectUri],
      },
    ],
    pkce: { required: () => true },
    cookies: { keys: ['a key of the spec'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, sub) => ({
      accountId: sub,
      claims: () => Promise.resolve({ sub, ...users.get(sub) }),
    }),
  });

  async function interact(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { prompt, params, session } = await provider.interactionDetails(req, res);
    if (prompt.name === 'login') {
      return provider.interactionFinished(req, res, { login: { accountId: subject } });
    }
    const grant = new provider.Grant({
      accountId: session?.accountId ?? subject,
      clientId: String(params['client_id']),
    });
    grant.addOIDCScope('openid email profile');
    const consent = { grantId: await grant.save() };
    return provider.interactionFinished(req, res, { consent }, { mergeWithLastSubmission: true });
  }

  const handle = provider.callback();
  const server = createServer((req, res) => {
    if (req.url?.startsWith('/interaction/')) {
      interact(req, res).catch((error: unknown) => res.writeHead(500).end(String(error)));
    } else void handle(req, res);
  });
  // Whoever asks again does not meet a connection that is just being closed.
  server.keepAliveTimeout = 0;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    issuer,
    /** Whoever comes is this one from now on. */
    be(sub: string, user: ProviderUser) {
      subject = sub;
      users.set(sub, user);
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The cookies of one browser, by host; and where it is sent on to, one step after the other. */
export function createBrowser() {
  const jar = new Map<string, Map<string, string>>();
  async function open(url: string): Promise<Response> {
    const { host } = new URL(url);
    const own = jar.get(host) ?? new Map<string, string>();
    const cookie = [...own].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { ...(cookie !== '' && { cookie }), 'sec-fetch-site': 'cross-site' },
    });
    for (const text of response.headers.getSetCookie()) {
      const [pair = ''] = text.split(';');
      const equals = pair.indexOf('=');
      own.set(pair.slice(0, equals), pair.slice(equals + 1));
    }
    jar.set(host, own);
    return response;
  }
  return {
    open,
    cookiesOf: (url: string) => jar.get(new URL(url).host) ?? new Map<string, string>(),
    /** As far as the first address that begins so, which it does not open. */
    async follow(url: string, until: string): Promise<string> {
      let at = url;
      for (let step = 0; step < 12; step += 1) {
        if (at.startsWith(until)) return at;
        const response = await open(at);
        const next = response.headers.get('location');
        if (next === null) throw new Error(`${response.status} at ${at}: ${await response.text()}`);
        at = new URL(next, at).href;
      }
      throw new Error(`it was sent on without end, to ${at}`);
    },
  };
}
