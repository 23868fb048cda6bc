import type { ProcessorConnectionRecord } from '@tributary/contracts/catalog-record';
import { secretContext } from '@tributary/contracts/secret-context';
import { type KeyRing, openSecret } from '@tributary/runtime/secrets';
import type { StripeAccount } from './api.ts';

/** How the account of a connection is asked; undefined once it is disconnected. */
export function accountOf(
  record: ProcessorConnectionRecord,
  secrets: KeyRing,
): StripeAccount | undefined {
  const { tenantId, connectionId, apiVersion, sealedApiKey, status } = record;
  if (status !== 'active' || sealedApiKey === null) return undefined;
  const apiKey = openSecret(secrets, sealedApiKey, secretContext(tenantId, 'processor-api-key'));
  return { connectionId, apiKey, apiVersion };
}

/**
 * What an event of a connection may be signed with: the secret of its endpoint, and that of the
 * rotated one until its time is over. None once it is disconnected. Each is opened once for as long
 * as the catalog's record of it is in use.
 */
export function createSigningSecrets(
  secrets: KeyRing,
): (record: ProcessorConnectionRecord, now: Date) => string[] {
  const opened = new WeakMap<object, string>();
  return (record, now) => {
    const { tenantId, status, endpoint, previous } = record;
    if (status !== 'active' || endpoint === null) return [];
    const isTaken = previous !== undefined && now.getTime() < Date.parse(previous.until);
    const context = secretContext(tenantId, 'processor-signing-secret');
    return [endpoint, ...(isTaken ? [previous] : [])].map((each) => {
      const secret = opened.get(each) ?? openSecret(secrets, each.sealedSecret, context);
      opened.set(each, secret);
      return secret;
    });
  };
}
