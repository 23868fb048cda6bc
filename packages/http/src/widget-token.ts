import { createSecretKey, type KeyObject } from 'node:crypto';
import { secretContext } from '@tributary/contracts/secret-context';
import { type JsonObject, parseStrictJson } from '@tributary/contracts/strict-json';
import type { Clock } from '@tributary/runtime/clock';
import { type KeyRing, openSecret } from '@tributary/runtime/secrets';
import jwt from 'jsonwebtoken';
import { type FaultFound, faultFound, validateClaims, quotedFromToken } from './widget-claims.ts';

/** Whose widget it is, by a token that their server has signed. */
export type WidgetUser = { tenantId: string; productId: string; productUserId: string };
export type TokenReading =
  { outcome: 'user'; user: WidgetUser; issuedAtSeconds: number } | FaultFound;
export type VerifyWidgetToken = (token: string) => TokenReading;

/** What is asked of the catalog; `CatalogView` answers it. */
export type TokenCatalog = {
  tenantOfProduct(
    productId: string,
  ): { tenantId: string; productId: string; status: 'active' | 'suspended' } | undefined;
  productSecret(tenantId: string): { productId: string; sealedSecret: string } | undefined;
  widgetSettings(tenantId: string): { maxTokenAgeSeconds: number | null };
};

/**
 * Validates a widget token (interface 5; design 8): HS512 under the product secret, exactly three
 * claims. The token itself says whose secret to take; nothing else of it is believed before the
 * signature. The widget service asks it for every session, the portal when an operator wants to
 * know why a token was refused.
 */
export function createWidgetTokenVerifier(options: {
  catalog: TokenCatalog;
  secrets: KeyRing;
  clock: Clock;
}): VerifyWidgetToken {
  const { catalog, clock } = options;
  const keyOf = createKeyOpener(options.secrets);

  return (token) => {
    const unproved = read(token);
    if (unproved === undefined) return faultFound('form', formText);
    const { header, payload } = unproved;
    if (header['alg'] !== algorithm) {
      const detail = `Its header has the alg ${quotedFromToken(header['alg'])}; it must be "${algorithm}".`;
      return faultFound('algorithm', detail);
    }
    if (Object.hasOwn(header, 'crit')) return faultFound('critical-header', criticalHeaderText);
    const { productId } = payload;
    const tenant = typeof productId === 'string' ? catalog.tenantOfProduct(productId) : undefined;
    const secret = tenant && catalog.productSecret(tenant.tenantId);
    if (tenant?.status !== 'active' || secret === undefined || secret.productId !== productId) {
      return faultFound('product', `No active product has the id ${quotedFromToken(productId)}.`);
    }
    const { tenantId } = tenant;
    const nowSeconds = Math.floor(clock.now().getTime() / 1_000);
    if (!isSigned(token, keyOf(tenantId, secret.sealedSecret))) {
      return faultFound('signature', signatureText);
    }

    const maxAgeSeconds = catalog.widgetSettings(tenantId).maxTokenAgeSeconds;
    const validation = validateClaims(payload, { nowSeconds, maxAgeSeconds });
    if (validation.outcome === 'fault') return validation;
    const { productUserId, iat: issuedAtSeconds } = validation.claims;
    const user = { tenantId, productId: tenant.productId, productUserId };
    return { outcome: 'user', user, issuedAtSeconds };
  };
}

const algorithm = 'HS512';

const formText =
  'It is no compact JWT: three parts of base64url without padding, divided by dots, of which the first two are JSON objects without a member twice.';
const criticalHeaderText =
  'Its header has crit, which asks for extensions that are not understood.';
const signatureText =
  'It is not signed with the product secret of this product. The key is the text of the secret as it was given, in UTF-8 and not decoded; an older secret is worth nothing once it was replaced.';

/** Undefined when these are not three parts of base64url, the first two JSON objects. */
function read(token: string): { header: JsonObject; payload: JsonObject } | undefined {
  const [, header, payload] = compactForm.exec(token) ?? [];
  const [headerJson, payloadJson] = [readPart(header), readPart(payload)];
  return headerJson && payloadJson && { header: headerJson, payload: payloadJson };
}

/**
 * As strictly as bodies: a claim that is there twice, or a fraction, is not taken for one of its
 * readings.
 */
function readPart(part: string | undefined): JsonObject | undefined {
  if (part === undefined) return undefined;
  const json = parseStrictJson(Buffer.from(part, 'base64url'));
  if (json.outcome === 'malformed') return undefined;
  const { value } = json;
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

const compactForm = /^([\w-]+)\.([\w-]+)\.([\w-]*)$/;

/**
 * The signature alone: the library has its own opinion of `exp` and `nbf`, which are faults here
 * whatever they say.
 */
function isSigned(token: string, key: KeyObject): boolean {
  try {
    jwt.verify(token, key, {
      algorithms: [algorithm],
      ignoreExpiration: true,
      ignoreNotBefore: true,
    });
    return true;
  } catch {
    return false;
  }
}

/**
 * The HMAC key is the secret's text in UTF-8 (design 8). Opened once for each record of the
 * catalog.
 */
function createKeyOpener(secrets: KeyRing): (tenantId: string, sealed: string) => KeyObject {
  const opened = new Map<string, { sealed: string; key: KeyObject }>();
  return (tenantId, sealed) => {
    const known = opened.get(tenantId);
    if (known?.sealed === sealed) return known.key;
    const secret = openSecret(secrets, sealed, secretContext(tenantId, 'product-secret'));
    const key = createSecretKey(secret, 'utf8');
    opened.set(tenantId, { sealed, key });
    return key;
  };
}
