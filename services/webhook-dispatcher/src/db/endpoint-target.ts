import type { EndpointTarget } from '../domain/target.ts';

/** A row of `endpoint` that the catalog has named. */
export type TargetRow = {
  tenant_id: string;
  url: string;
  username: string;
  sealed_password: string;
  previous_username: string | null;
  previous_sealed_password: string | null;
  previous_until: Date | null;
};

export const targetColumns = `tenant_id, url, username, sealed_password, previous_username,
  previous_sealed_password, previous_until`;

export function toTarget(row: TargetRow): EndpointTarget {
  const { previous_username: username, previous_sealed_password: sealedPassword } = row;
  const until = row.previous_until;
  return {
    tenantId: row.tenant_id,
    url: row.url,
    username: row.username,
    sealedPassword: row.sealed_password,
    ...(username !== null && sealedPassword !== null && until !== null
      ? { previous: { username, sealedPassword, until } }
      : {}),
  };
}
