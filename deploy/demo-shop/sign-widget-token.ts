import { createHmac } from 'node:crypto';

/**
 * The token that a widget is booted with: a JWT, HS512 over the product secret, with exactly these
 * three claims (interface 5). It is made on the server, for the user who is signed in; the product
 * secret never reaches a browser.
 */
export function signWidgetToken(options: {
  productId: string;
  productSecret: string;
  productUserId: string;
  now: Date;
}): string {
  const { productId, productSecret, productUserId, now } = options;
  const header = { alg: 'HS512', typ: 'JWT' };
  const claims = { productId, productUserId, iat: Math.floor(now.getTime() / 1000) };
  const signed = [header, claims].map(encoded).join('.');
  return `${signed}.${createHmac('sha512', productSecret).update(signed).digest('base64url')}`;
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
