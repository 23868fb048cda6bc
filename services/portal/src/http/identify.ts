import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { networkOf } from '@tributary/http/request-limits';
import { authorizationOf, parseBearer } from '@tributary/http/bearer';
import { tokenPrefix } from '../accounts/commands/api-tokens.ts';
import { identifyBySession, identifyByToken } from '../accounts/commands/identify.ts';
import type { Office } from '../accounts/commands/office.ts';
import type { From } from '../accounts/commands/sessions.ts';
import { bootstrap, type Caller, nobody } from '../accounts/domain/caller.ts';
import { challengeMs, sessionMs } from '../accounts/domain/durations.ts';

/** Who sends a request. One whose token or cookie does not hold is nobody. */
export type Identify = (
  req: IncomingMessage,
  /** Whether it counts as a sign of life; default: it does. */
  options?: { isSeen?: boolean },
) => Promise<Caller>;

/**
 * By the token of the configuration, an API token, or the cookie of a session; where there is a
 * header `Authorization`, by that alone.
 */
export function createIdentify(options: {
  office: Office;
  isBootstrap: (authorization: string | undefined) => boolean;
  cookie: SessionCookie;
}): Identify {
  const { office, isBootstrap, cookie } = options;
  return async (req, { isSeen = true } = {}) => {
    if (req.headers.authorization !== undefined) {
      const authorization = authorizationOf(req);
      if (isBootstrap(authorization)) return bootstrap;
      const token = parseBearer(authorization);
      if (!token?.startsWith(tokenPrefix)) return nobody;
      return (await identifyByToken(office, token, isSeen)) ?? nobody;
    }
    const secret = cookie.read(req);
    if (secret === undefined) return nobody;
    return (await identifyBySession(office, secret, isSeen)) ?? nobody;
  };
}

export type SessionCookie = {
  read(req: IncomingMessage): string | undefined;
  /** The header that sets it; null ends it. */
  write(secret: string | null): string;
};

/**
 * `__Host-`: no other host and no plain connection sets it. Without TLS browsers would not keep
 * that, so on a developer's machine it has another name.
 */
export function createSessionCookie({ insecure }: { insecure: boolean }): SessionCookie {
  return createCookie('tributary-session', {
    ...{ insecure, form: '[A-Za-z0-9_-]{43}', sameSite: 'Strict', ms: sessionMs },
  });
}

/** Lax: the browser comes back from the provider with it, which is another site. */
export function createSignOnCookie({ insecure }: { insecure: boolean }): SessionCookie {
  return createCookie('tributary-single-sign-on', {
    ...{ insecure, form: '[A-Za-z0-9_.-]{80,120}', sameSite: 'Lax', ms: challengeMs },
  });
}

function createCookie(
  plainName: string,
  about: { insecure: boolean; form: string; sameSite: 'Strict' | 'Lax'; ms: number },
): SessionCookie {
  const { insecure, form, sameSite, ms } = about;
  const name = insecure ? plainName : `__Host-${plainName}`;
  const whole = new RegExp(`^${name}=(${form})$`);
  const attributes = `Path=/; HttpOnly; ${insecure ? '' : 'Secure; '}SameSite=${sameSite}`;
  return {
    read(req) {
      const cookies = (req.headers.cookie ?? '').split(';').map((text) => text.trim());
      const own = cookies.filter((text) => text.startsWith(`${name}=`));
      return own.length === 1 ? whole.exec(own[0]!)?.[1] : undefined;
    },
    write: (secret) => `${name}=${secret ?? ''}; ${attributes}; Max-Age=${secret ? ms / 1_000 : 0}`,
  };
}

/** The edge puts the address of whoever asked it in place of any that was sent. */
export function fromOf(req: IncomingMessage): From {
  const forwarded = String(req.headers['x-forwarded-for'] ?? '')
    .split(',')
    .at(-1)!
    .trim();
  const address = isIP(forwarded) > 0 ? forwarded : (req.socket.remoteAddress ?? '');
  const userAgent = (req.headers['user-agent'] ?? '').replaceAll('\0', '').slice(0, 255);
  return { address, network: networkOf(address), userAgent };
}
