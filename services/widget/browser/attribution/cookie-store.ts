import { clickToValue, cookieName, type KeptClick, readKeptClick } from '../shared/click-cookie.ts';
import { cookieDomains } from './cookie-domains.ts';

export type ClickStore = {
  read(): KeptClick | undefined;
  /**
   * False when the browser did not take it: cookies are blocked, or the page is in a foreign frame.
   */
  write(click: KeptClick, maxAgeSeconds: number): boolean;
  remove(): void;
};

/**
 * The click in the page's own cookie. Asks for nothing and writes nothing before it is first used.
 */
export function createCookieStore(): ClickStore {
  let domain: string | undefined;

  const write: ClickStore['write'] = (click, maxAgeSeconds) => {
    domain ??= widestDomain();
    const value = clickToValue(click);
    setCookie(cookieName, value, maxAgeSeconds, domain);
    return cookieText().includes(`${cookieName}=${value}`);
  };
  return {
    read: () => readKeptClick(cookieText()),
    write,
    remove() {
      for (const each of ['', ...cookieDomains(location.hostname)]) {
        setCookie(cookieName, '', 0, each);
      }
    },
  };
}

/** Which domains are nobody's own (`co.uk`, `github.io`) only the browser knows: it is tried. */
function widestDomain(): string {
  const probe = `${cookieName}_probe`;
  for (const domain of cookieDomains(location.hostname)) {
    setCookie(probe, '1', 9, domain);
    const taken = cookieText().includes(`${probe}=1`);
    setCookie(probe, '', 0, domain);
    if (taken) return domain;
  }
  return '';
}

function setCookie(name: string, value: string, maxAgeSeconds: number, domain: string): void {
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  const wide = domain && `; Domain=${domain}`;
  try {
    document.cookie = `${name}=${value}; Path=/; SameSite=Lax; Max-Age=${maxAgeSeconds}${wide}${secure}`;
  } catch {
    // A frame without an origin has no cookies, and says so by throwing.
  }
}

function cookieText(): string {
  try {
    return String(document.cookie); // consent tools put their own in its place
  } catch {
    return '';
  }
}
