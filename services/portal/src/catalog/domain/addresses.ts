import type { Violation } from '@tributary/contracts/violation';

export type Environment = 'prod' | 'sandbox';

/** What is wrong with a campaign's landing address: https, in the sandbox http too. */
export function validateLandingUrl(
  text: string,
  pointer: string,
  environment: Environment,
): Violation[] {
  const url = parse(text, environment);
  if (typeof url === 'string') return [broken(pointer, url)];
  const taken = ['productId', 'ucc'].filter((name) => url.searchParams.has(name));
  if (taken.length === 0) return [];
  return [broken(pointer, `must not carry ${taken.join(' or ')}: every link gets its own`)];
}

/** What is wrong with a webhook address: https, in the sandbox http too. */
export function validateWebhookUrl(
  text: string,
  pointer: string,
  environment: Environment,
): Violation[] {
  const url = parse(text, environment);
  if (typeof url === 'string') return [broken(pointer, url)];
  if (url.hash !== '') return [broken(pointer, 'must have no fragment: it is never sent')];
  return [];
}

function parse(text: string, environment: Environment): URL | string {
  const schemes = environment === 'prod' ? ['https:'] : ['https:', 'http:'];
  const expected = `must be an absolute ${schemes.map((s) => `${s}//`).join(' or ')} address`;
  // The URL parser drops white space and control characters; what is stored would not be what it
  // saw.
  if (/[\s\p{Cc}\p{Cs}]/u.test(text)) return `${expected} without white space`;
  const url = URL.parse(text);
  if (url === null || !schemes.includes(url.protocol)) return expected;
  if (!text.toLowerCase().startsWith(`${url.protocol}//`)) return expected;
  if (url.username !== '' || url.password !== '') {
    return 'must hold no user name or password; credentials have fields of their own';
  }
  return url;
}

function broken(pointer: string, detail: string): Violation {
  return { pointer, code: 'INVALID_FORMAT', detail };
}
