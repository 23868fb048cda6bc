import type { AnswerBodyOf } from '@tributary/contracts/admin/admin-route';
import type { keyRoutes } from '@tributary/contracts/admin/keys';
import type { RingPurpose } from '@tributary/runtime/key-rings';
import {
  type ProcessorConnectionRow,
  updateOpeningSealedKey,
} from '../db/processor-connections.ts';
import { readSealedProductSecret } from '../db/product-secrets.ts';
import { countSealed, listSealedBy, type SealedPlace } from '../db/sealed-secrets.ts';
import { lockTenant, readTenant } from '../db/tenants.ts';
import { readWebhookEndpoint } from '../db/webhook-endpoints.ts';
import { CatalogBehind, changeCatalog } from './change-catalog.ts';
import type { Deployment } from './deployment.ts';
import { type Held, holdProcessor } from './hold-processor.ts';
import { publishProductSecret } from './product-secret.ts';
import { reseal } from './sealing.ts';
import { isActive, storeProcessor } from './store-processor.ts';
import { runningOverlap, storeWebhook } from './store-webhook.ts';

export type Rings = AnswerBodyOf<(typeof keyRoutes)['listKeys']>['rings'];

/** Every ring with its keys, newest first, and those that have sealed something and are gone. */
export async function listRings({ pool, keyRings }: Deployment): Promise<Rings> {
  const counted = await countSealed(pool);
  return ringsOf(keyRings).map(([purpose, ring]) => {
    const ofRing = counted.filter((row) => row.purpose === purpose);
    const secretsOf = (keyId: string) => ofRing.find((row) => row.keyId === keyId)?.secrets ?? 0;
    const present = ring.map(({ keyId }, i) => ({
      keyId,
      state: i === 0 ? ('newest' as const) : ('older' as const),
      secrets: secretsOf(keyId),
    }));
    const missing = ofRing
      .filter(({ keyId }) => ring.every((key) => key.keyId !== keyId))
      .map(({ keyId, secrets }) => ({ keyId, state: 'missing' as const, secrets }));
    return { purpose, keys: [...present, ...missing] };
  });
}

/** False when it is sealed by the newest key, or there is none any more. */
type ResealSecondFactor = (accountId: string) => Promise<boolean>;

/** Places at once; a caller goes on while there are more. */
const atOnce = 200;

/**
 * Seals by the newest key of its ring what older ones have sealed, so that they can be removed. The
 * secrets stay what they are. Each is a transaction with the next version of its record: whoever
 * reads the log opens the same secret by the other key. Any number may run at once; one that dies
 * leaves what it has not done to the next. A place that cannot be opened is in nobody's way.
 *
 * @throws what the first of those says, once they are all that is left.
 */
export async function resealSecrets(
  deployment: Deployment,
  resealSecondFactor: ResealSecondFactor,
): Promise<{ resealed: number; remaining: number; tenantIds: string[] }> {
  const { pool, keyRings } = deployment;
  const older = ringsOf(keyRings).flatMap(([purpose, ring]) =>
    ring.slice(1).map(({ keyId }) => `${purpose}:${keyId}`),
  );
  const places = await listSealedBy(pool, older, atOnce);
  const tenantIds = new Set<string>();
  const failures: Error[] = [];
  let resealed = 0;
  for (const place of places) {
    try {
      if (!(await resealPlace(deployment, place, resealSecondFactor))) continue;
    } catch (cause) {
      if (cause instanceof CatalogBehind) throw cause;
      failures.push(new Error(`not sealed anew: ${JSON.stringify(place)}`, { cause }));
      continue;
    }
    resealed += 1;
    if (place.purpose !== 'second-factors') tenantIds.add(place.tenantId);
  }
  if (resealed === 0 && failures[0] !== undefined) throw failures[0];
  const remaining = await countOf(pool, older);
  return { resealed, remaining, tenantIds: [...tenantIds] };
}

async function countOf(pool: Deployment['pool'], keys: readonly string[]): Promise<number> {
  const counted = await countSealed(pool);
  return counted
    .filter(({ purpose, keyId }) => keys.includes(`${purpose}:${keyId}`))
    .reduce((sum, { secrets }) => sum + secrets, 0);
}

function ringsOf(keyRings: Deployment['keyRings']) {
  return Object.entries(keyRings) as [RingPurpose, Deployment['keyRings'][RingPurpose]][];
}

/** False when somebody else is at it, or has been, or it is gone. */
async function resealPlace(
  deployment: Deployment,
  place: SealedPlace,
  resealSecondFactor: ResealSecondFactor,
): Promise<boolean> {
  switch (place.purpose) {
    case 'product-secrets':
      return resealProductSecret(deployment, place.tenantId);
    case 'webhook-passwords':
      return resealWebhook(deployment, place.tenantId);
    case 'processor-keys': {
      const result = await holdProcessor(deployment, place, (held) =>
        resealConnection(deployment, held),
      );
      return result === true;
    }
    case 'second-factors':
      return resealSecondFactor(place.accountId);
    default:
      return place satisfies never;
  }
}

async function resealProductSecret(deployment: Deployment, tenantId: string): Promise<boolean> {
  return changeCatalog(deployment, async (tx) => {
    if (!(await lockTenant(tx, tenantId))) return false;
    const tenant = await readTenant(tx, tenantId);
    const present = await readSealedProductSecret(tx, tenantId);
    if (tenant === undefined || present === undefined) return false;
    const sealedSecret = reseal(deployment, tenantId, 'product-secret', present);
    if (sealedSecret === present) return false;
    await publishProductSecret(tx, deployment, tenant, sealedSecret, deployment.clock.now());
    return true;
  });
}

async function resealWebhook(deployment: Deployment, tenantId: string): Promise<boolean> {
  return changeCatalog(deployment, async (tx) => {
    if (!(await lockTenant(tx, tenantId))) return false;
    const present = await readWebhookEndpoint(tx, tenantId);
    if (present === undefined) return false;
    const at = deployment.clock.now();
    const sealedAnew = (text: string) => reseal(deployment, tenantId, 'webhook-password', text);
    // One that is over is opened by nobody any more, and its key may be gone.
    const running = runningOverlap(present.previous, at);
    const previous = running && { ...running, sealedPassword: sealedAnew(running.sealedPassword) };
    const sealedPassword = sealedAnew(present.sealedPassword);
    const isSame =
      sealedPassword === present.sealedPassword &&
      previous?.sealedPassword === present.previous?.sealedPassword;
    if (isSame) return false;
    const endpoint = { ...present, sealedPassword, previous };
    await storeWebhook(tx, deployment, tenantId, endpoint, at);
    return true;
  });
}

async function resealConnection(deployment: Deployment, held: Held): Promise<boolean> {
  const { holder, row } = held;
  const next = sealedAnew(deployment, row);
  const isSame =
    next.sealedApiKey === row.sealedApiKey &&
    next.endpoint?.sealedSecret === row.endpoint?.sealedSecret &&
    next.previous?.sealedSecret === row.previous?.sealedSecret;
  if (isSame) return false;
  if (isActive(row) && isActive(next)) {
    return (await storeProcessor(deployment, holder, () => next)) !== undefined;
  }
  if (row.status !== 'opening' || next.sealedApiKey === undefined) return false;
  const { connectionId } = row;
  return updateOpeningSealedKey(deployment.pool, holder, connectionId, next.sealedApiKey);
}

function sealedAnew(deployment: Deployment, row: ProcessorConnectionRow): ProcessorConnectionRow {
  const { tenantId, sealedApiKey, endpoint, previous } = row;
  const secret = (text: string) => reseal(deployment, tenantId, 'processor-signing-secret', text);
  return {
    ...row,
    sealedApiKey: sealedApiKey && reseal(deployment, tenantId, 'processor-api-key', sealedApiKey),
    endpoint: endpoint && { ...endpoint, sealedSecret: secret(endpoint.sealedSecret) },
    previous: previous && { ...previous, sealedSecret: previousSecret(previous) },
  };

  /** Once it is over it is kept for its id alone, and the key of its secret may be gone. */
  function previousSecret({ sealedSecret, until }: { sealedSecret: string; until: Date }): string {
    try {
      return secret(sealedSecret);
    } catch (error) {
      if (until > deployment.clock.now()) throw error;
      return sealedSecret;
    }
  }
}
