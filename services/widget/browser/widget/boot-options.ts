import type { ProductUserDetails } from '@tributary/contracts/public/widget-session';
import type { WidgetTheme } from '@tributary/contracts/widget-settings';
import { TributaryError } from './tributary-error.ts';

/** What `boot` takes (interface 4.7 rule 3; all but the first two is ours). */
export type BootOptions = {
  /** Made and signed by the customer's server (interface 5). */
  token: string;
  productUserDetails: ProductUserDetails;
  /** `de` or `pt-BR`. Absent: the page's, else the visitor's. */
  language?: string | undefined;
  /** Absent: as the language is written. */
  direction?: 'ltr' | 'rtl' | undefined;
  /** Absent: floating, unless the page has a `<tributary-launcher>`. */
  launcher?: 'floating' | 'none' | undefined;
  /** Over the theme that the tenant has set. */
  theme?: WidgetTheme | undefined;
};

/**
 * Takes what a page gave, which no compiler has seen. Members that nobody knows are left out, as is
 * what is no text in the details (a `null` for an unknown name): they are no reason to show no
 * widget.
 *
 * @throws TributaryError INVALID_CONFIGURATION
 */
export function readBootOptions(given: unknown): BootOptions {
  if (!isObject(given)) throw invalid('boot takes an object with token and productUserDetails.');
  const { token, productUserDetails, language, direction, launcher, theme } = given;
  if (typeof token !== 'string' || token === '') {
    throw invalid('token must be the text that your server signed.');
  }
  if (!isObject(productUserDetails) || Array.isArray(productUserDetails)) {
    throw invalid(
      'productUserDetails must be an object with firstName, lastName, fullName and email.',
    );
  }
  return {
    token,
    productUserDetails: detailsOf(productUserDetails),
    language: typeof language === 'string' ? language : undefined,
    direction: oneOf('direction', direction, ['ltr', 'rtl']),
    launcher: oneOf('launcher', launcher, ['floating', 'none']),
    theme: isObject(theme) ? theme : undefined,
  };
}

/**
 * Who a token is for, as far as a browser can tell: it verifies nothing. Two tokens of one user
 * give the same text; of one that cannot be read, the token itself.
 */
export function userOfToken(token: string): string {
  try {
    const payload = (token.split('.')[1] ?? '').replace(/-/g, '+').replace(/_/g, '/');
    const bytes = Uint8Array.from(atob(payload), (char) => char.charCodeAt(0));
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (!isObject(claims)) return token;
    return JSON.stringify([claims.productId, claims.productUserId]);
  } catch {
    return token;
  }
}

function detailsOf(given: Record<string, unknown>): ProductUserDetails {
  const details: ProductUserDetails = {};
  for (const name of ['firstName', 'lastName', 'fullName', 'email'] as const) {
    const value = given[name];
    if (typeof value === 'string' && value !== '') details[name] = value;
  }
  return details;
}

function oneOf<T extends string>(name: string, value: unknown, allowed: T[]): T | undefined {
  if (value === undefined || value === null) return undefined;
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw invalid(`${name} must be ${allowed.join(' or ')}.`);
  return found;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function invalid(message: string): TributaryError {
  return new TributaryError('INVALID_CONFIGURATION', message);
}
