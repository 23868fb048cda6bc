import { createHmac } from 'node:crypto';

/** As a customer's backend signs it (interface 5): HS512 with the product secret. */
export function widgetToken(
  customer: { productId: string; productSecret: string },
  productUserId: string,
  more: { claims?: Record<string, unknown>; header?: Record<string, unknown> } = {},
): string {
  const iat = Math.floor(Date.now() / 1_000);
  const { productId, productSecret } = customer;
  const header = { alg: 'HS512', typ: 'JWT', ...more.header };
  // A claim that is undefined is left out.
  const claims = { productId, productUserId, iat, ...more.claims };
  const signed = [header, claims].map((part) => base64url(JSON.stringify(part))).join('.');
  return `${signed}.${signature(header.alg, productSecret, signed)}`;
}

const digests: Record<string, string> = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' };

/** Algorithms that are none of these, among them `none`, have an empty signature. */
function signature(algorithm: string, key: string, text: string): string {
  const digest = digests[algorithm];
  return digest === undefined ? '' : createHmac(digest, key).update(text).digest('base64url');
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
