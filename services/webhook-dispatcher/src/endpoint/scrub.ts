export type Credentials = { username: string; password: string };

/** Takes credentials out of a text that came from their receiver. */
export type Scrub = {
  /**
   * The first `end` characters without credentials, also where one begins there and ends behind.
   */
  clean: (text: string, end?: number) => string;
  /** In bytes, the longest text that is taken out: so much is to be read beyond a cut. */
  longestBytes: number;
};

/**
 * A receiver that echoes its request (error pages and debug output do) would put our credentials
 * into the attempts log. They are looked for as they are, in Base64 as sent, and in what pages and
 * logs make of both: escapes of URLs, JSON and HTML, and UTF-8 taken for Latin-1.
 */
export function createScrub(all: readonly Credentials[]): Scrub {
  const forms = [...new Set(all.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  // Without a password there is nothing secret, and an empty form would be found everywhere.
  if (forms.length === 0) return { clean: (text, end) => text.slice(0, end), longestBytes: 0 };
  const pattern = new RegExp(`(?:${forms.map(escapeForPattern).join('|')})(?:=|%3D)*`, 'gi');
  return {
    clean: (text, end = text.length) =>
      text.search(pattern) < 0 ? text.slice(0, end) : without(pattern, text, end),
    longestBytes: Math.max(...forms.map((form) => Buffer.byteLength(form))),
  };
}

function without(pattern: RegExp, text: string, end: number): string {
  let cleaned = '';
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index >= end) break;
    cleaned += text.slice(at, match.index) + removed;
    at = match.index + match[0].length;
  }
  return cleaned + text.slice(at, Math.max(at, end));
}

function escapeForPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

export const removed = '[removed]';

function formsOf({ username, password }: Credentials): string[] {
  if (password === '') return [];
  // "user:password" has the password in it; padding behind Base64 says nothing.
  const encoded = [password, `${username}:${password}`].flatMap((text) => {
    const bytes = Buffer.from(text, 'utf8');
    return [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')];
  });
  return [password.toWellFormed(), ...encoded].flatMap((text) =>
    unescaped.test(text) ? [text] : escapes.map((escape) => escape(text)),
  );
}

/** What every escape leaves as it is. */
const unescaped = /^[A-Za-z0-9_-]*$/;

const escapes: readonly ((text: string) => string)[] = [
  (text) => text,
  encodeURIComponent,
  (text) => new URLSearchParams([['', text]]).toString().slice(1),
  json,
  (text) => json(text).replaceAll('/', '\\/'),
  (text) => asciiOnly(json(text)),
  (text) => asciiOnly(json(text)).replaceAll('/', '\\/'),
  (text) => html(text, '&#39;', '&quot;'),
  (text) => html(text, '&#039;', '&quot;'),
  (text) => html(text, '&#x27;', '&#34;'),
  (text) => html(text, "'", '"'),
  (text) => Buffer.from(text, 'utf8').toString('latin1'),
  (text) => Buffer.from(text, 'latin1').toString('utf8'),
];

function json(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function asciiOnly(text: string): string {
  return text.replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function html(text: string, apostrophe: string, quote: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', quote)
    .replaceAll("'", apostrophe);
}
