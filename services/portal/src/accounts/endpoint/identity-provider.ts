import type { Logger } from '@tributary/runtime/logger';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  type Configuration,
  discovery,
  fetchUserInfo,
} from 'openid-client';

export type ProviderSettings = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** What people know it by. */
  name: string;
};

/** Who the provider says somebody is. */
export type Claims = {
  subject: string;
  email: string | undefined;
  isEmailVerified: boolean;
  name: string | undefined;
  /** When they signed in there; undefined where it does not say. */
  signedInAt: Date | undefined;
};

/** What binds an answer to the question, and the question to the browser that asked. */
export type Binding = { state: string; nonce: string; verifier: string };

export type IdentityProvider = {
  issuer: string;
  name: string;
  /** Where the browser is sent. Undefined when the provider does not answer. */
  begin(binding: Binding, about: { redirectUri: string; anew: boolean }): Promise<URL | undefined>;
  /** Undefined for every answer that is not to be trusted. */
  finish(answer: URL, binding: Binding, about: { anew: boolean }): Promise<Claims | undefined>;
};

/**
 * A provider of OpenID Connect: authorization code with PKCE, state and nonce. What it says of
 * itself is asked when it is first needed, so that a provider that is down keeps nobody from
 * starting.
 */
export function createIdentityProvider(
  { issuer, clientId, clientSecret, name }: ProviderSettings,
  { logger, anewMs }: { logger: Logger; anewMs: number },
): IdentityProvider {
  let known: Promise<Configuration> | undefined;
  const configuration = () =>
    (known ??= discovery(new URL(issuer), clientId, clientSecret, undefined, {
      timeout: timeoutSeconds,
      // Our own configuration takes http:// from sandboxes only.
      execute: issuer.startsWith('http://') ? [allowInsecureRequests] : [],
    }).catch((error: unknown) => {
      known = undefined;
      throw error;
    }));
  const warn = (what: string, error: unknown) =>
    // Its message and its cause may repeat what the provider answered; its code does not.
    void logger.warn(what, { code: (error as { code?: unknown }).code });

  return {
    issuer,
    name,
    async begin({ state, nonce, verifier }, { redirectUri, anew }) {
      try {
        return buildAuthorizationUrl(await configuration(), {
          redirect_uri: redirectUri,
          scope: 'openid email profile',
          state,
          nonce,
          code_challenge: await calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          ...(anew && { max_age: '0' }),
        });
      } catch (error) {
        warn('the provider of single sign-on does not answer', error);
        return undefined;
      }
    },
    async finish(answer, { state, nonce, verifier }, { anew }) {
      try {
        const config = await configuration();
        const tokens = await authorizationCodeGrant(config, answer, {
          ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier },
          idTokenExpected: true,
          ...(anew && { maxAge: anewMs / 1_000 }),
        });
        const claims = tokens.claims();
        if (claims === undefined) return undefined;
        const hasMore = config.serverMetadata().userinfo_endpoint !== undefined;
        // Some say in the token who somebody is, and others only when they are asked for more.
        const more =
          claims['email'] === undefined && hasMore
            ? await fetchUserInfo(config, tokens.access_token, claims.sub)
            : {};
        return toClaims({ ...more, ...claims });
      } catch (error) {
        warn('a sign-on was refused', error);
        return undefined;
      }
    },
  };
}

const timeoutSeconds = 10;

function toClaims(claims: Readonly<Record<string, unknown>>): Claims | undefined {
  const { sub, email, email_verified: verified, name, auth_time: signedIn } = claims;
  if (typeof sub !== 'string') return undefined;
  return {
    subject: sub,
    email: typeof email === 'string' ? email : undefined,
    isEmailVerified: verified === true,
    name: typeof name === 'string' ? name : undefined,
    signedInAt: typeof signedIn === 'number' ? new Date(signedIn * 1_000) : undefined,
  };
}
