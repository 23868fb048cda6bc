/**
 * What a sealed secret of the catalog is bound to: sealing and opening must name the same tenant
 * and use, so a sealed text that is moved elsewhere does not open.
 */
export function secretContext(tenantId: string, use: SecretUse): string {
  return `${tenantId}:${use}`;
}

export type SecretUse =
  'product-secret' | 'webhook-password' | 'processor-api-key' | 'processor-signing-secret';
