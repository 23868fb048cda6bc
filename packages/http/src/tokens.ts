import { hash, type KeyObject } from 'node:crypto';
import { parseStrictJson } from '@tributary/contracts/strict-json';
import jwt from 'jsonwebtoken';
import type { Clock } from '@tributary/runtime/clock';
import type { TokenKey } from '@tributary/runtime/token-keys';
import { parseBearer } from './bearer.ts';

/** Who is asking: a tenant, by one of its access keys. */
export type Caller = { tenantId: string; accessKeyId: string };

/** The tokens of sandbox and production open only the doors of their own environment. */
export type TokenEnvironment = 'prod' | 'sandbox';

export type TokenSigner = (caller: Caller) => { accessToken: string; expiresIn: number };
export type BearerVerifier = (authorizationHeader: string | undefined) => Caller | undefined;
/** At once wherever it is known at once. */
export type CurrentVerifier = (
  authorizationHeader: string | undefined,
) => Caller | undefined | Promise<Caller | undefined>;

/** Makes access tokens: JWT, ES256 under the one private key there is, whose id is the `kid`. */
export function createTokenSigner(options: {
  key: TokenKey;
  environment: TokenEnvironment;
  clock: Clock;
  lifetimeSeconds: number;
}): TokenSigner {
  const { key, environment, clock, lifetimeSeconds } = options;

  return ({ tenantId, accessKeyId }) => {
    const claims = { tenantId, accessKeyId, iat: seconds(clock) };
    const accessToken = jwt.sign(claims, key.key, {
      algorithm,
      keyid: key.keyId,
      issuer,
      audience: environment,
      expiresIn: lifetimeSeconds,
    });
    return { accessToken, expiresIn: lifetimeSeconds };
  };
}

/**
 * Reads an `Authorization` header: the caller, or undefined for whatever reason it is not valid;
 * callers are not told which. A verified token is remembered by its digest for at most 60 s, so
 * that a busy caller's token is verified once; `isActive` is a look-up in memory and is asked every
 * time, so a revoked access key is refused as soon as this process has heard of it.
 */
export function createBearerVerifier(options: {
  /** Public ones. */
  keys: readonly TokenKey[];
  environment: TokenEnvironment;
  clock: Clock;
  isActive: (tenantId: string, accessKeyId: string) => boolean;
  maxRemembered?: number;
}): BearerVerifier {
  const { clock, isActive, maxRemembered = 10_000 } = options;
  const verify = createVerify(options);
  const remembered = new Map<string, Verified>();

  const verifyOnce = (token: string): Caller | undefined => {
    const digest = hash('sha256', token, 'base64');
    const nowMs = clock.now().getTime();
    const known = remembered.get(digest);
    if (known !== undefined && nowMs < known.untilMs) return known.caller;
    remembered.delete(digest);
    const verified = verify(token, nowMs);
    if (verified === undefined) return undefined;
    // Maps keep their order: the first is the one remembered longest ago.
    if (remembered.size >= maxRemembered) remembered.delete(remembered.keys().next().value!);
    remembered.set(digest, verified);
    return verified.caller;
  };

  return (authorizationHeader) => {
    const token = parseBearer(authorizationHeader);
    if (token === undefined || token.length > maxTokenLength) return undefined;
    const caller = verifyOnce(token);
    if (caller === undefined || !isActive(caller.tenantId, caller.accessKeyId)) return undefined;
    return caller;
  };
}

/**
 * As {@link createBearerVerifier}, for a process that keeps the catalog in memory. A token that was
 * signed here or by another replica, of a key that cannot be used as far as this process has read,
 * is refused only after `becomeCurrent`: the key may be a moment old. Forged ones never wait.
 */
export function createCurrentVerifier(
  options: Parameters<typeof createBearerVerifier>[0] & { becomeCurrent: () => Promise<unknown> },
): CurrentVerifier {
  const { isActive, becomeCurrent } = options;
  const callerOf = createBearerVerifier({ ...options, isActive: () => true });

  return (authorizationHeader) => {
    const caller = callerOf(authorizationHeader);
    if (caller === undefined) return undefined;
    const { tenantId, accessKeyId } = caller;
    const isUsable = () => isActive(tenantId, accessKeyId);
    if (isUsable()) return caller;
    return becomeCurrent().then(() => (isUsable() ? caller : undefined));
  };
}

type Verified = { caller: Caller; untilMs: number };

const algorithm = 'ES256';
const issuer = 'tributary';
const rememberedMs = 60_000;
/** Ours have a few hundred characters; no work is spent on what cannot be one of them. */
const maxTokenLength = 2_048;
/** How far the clock of the replica that signed may be ahead of this one. */
const clockSkewMs = 60_000;

function createVerify(options: { keys: readonly TokenKey[]; environment: TokenEnvironment }) {
  const { keys, environment } = options;

  return (token: string, nowMs: number): Verified | undefined => {
    const key = keyOf(token, keys);
    if (key === undefined) return undefined;
    try {
      const claims = jwt.verify(token, key, {
        algorithms: [algorithm],
        issuer,
        audience: environment,
        clockTimestamp: Math.floor(nowMs / 1_000),
      });
      return verifiedOf(claims, nowMs);
    } catch {
      return undefined;
    }
  };
}

/**
 * The key that the header names; nothing is believed before the signature is verified. Three parts
 * of base64url and a header of the three members that ours have: the library reads base64 more
 * leniently, knows no `crit`, and JSON keeps the last of two equal members.
 */
function keyOf(token: string, keys: readonly TokenKey[]): KeyObject | undefined {
  const [, encoded] = compactForm.exec(token) ?? [];
  if (encoded === undefined) return undefined;
  const json = parseStrictJson(Buffer.from(encoded, 'base64url'));
  if (json.outcome === 'malformed' || !isHeader(json.value)) return undefined;
  const { kid } = json.value;
  return keys.find(({ keyId }) => keyId === kid)?.key;
}

/** A signature by ES256 has 64 bytes, so that the last character has two bits and four zeros. */
const compactForm = /^([\w-]+)\.[\w-]+\.[\w-]{85}[AQgw]$/;

function isHeader(value: unknown): value is { alg: string; typ: string; kid: string } {
  if (typeof value !== 'object' || value === null) return false;
  const { alg, typ, kid, ...more } = value as Record<string, unknown>;
  const isOurs = alg === algorithm && typ === 'JWT' && typeof kid === 'string';
  return isOurs && Object.keys(more).length === 0;
}

function verifiedOf(claims: string | jwt.JwtPayload, nowMs: number): Verified | undefined {
  if (typeof claims === 'string') return undefined;
  const { tenantId, accessKeyId, exp, iat } = claims as Record<string, unknown>;
  if (typeof tenantId !== 'string' || typeof accessKeyId !== 'string') return undefined;
  // The library requires neither of the two, and does not look at the second.
  if (typeof exp !== 'number' || typeof iat !== 'number') return undefined;
  if (iat * 1_000 > nowMs + clockSkewMs) return undefined;
  const untilMs = Math.min(exp * 1_000, nowMs + rememberedMs);
  return { caller: { tenantId, accessKeyId }, untilMs };
}

function seconds(clock: Clock): number {
  return Math.floor(clock.now().getTime() / 1_000);
}
