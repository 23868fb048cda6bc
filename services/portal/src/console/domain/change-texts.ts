import type { Change } from '@tributary/contracts/admin/changes';

/** What has changed of a tenant, as processes tell each other. */
export type TenantChanges = { tenantId: string; changes: readonly Change[] };
export type TenantChange = Change & { tenantId: string; id: string };

/** More of a kind than anybody looks at one by one: then only the kind is told. */
const mostOfAKind = 50;
/** Postgres takes 8,000, and the name of the schema stands in front. */
const mostBytes = 7_000;

/** In texts that a notification of Postgres holds, each about one tenant. */
export function toChangeTexts(changes: readonly TenantChange[]): string[] {
  const tenants = Map.groupBy(changes, ({ tenantId }) => tenantId);
  return [...tenants].flatMap(([tenantId, own]) => textsOf(tenantId, fewOf(own)));
}

function fewOf(changes: readonly TenantChange[]): Change[] {
  const kinds = Map.groupBy(changes, ({ kind }) => kind);
  return [...kinds].flatMap(([kind, all]): Change[] => {
    const ids = new Set(all.map(({ id }) => id));
    return ids.size > mostOfAKind ? [{ kind, id: null }] : [...ids].map((id) => ({ kind, id }));
  });
}

function textsOf(tenantId: string, changes: readonly Change[]): string[] {
  const texts: string[] = [];
  let fitting: Change[] = [];
  let bytes = 0;
  for (const change of changes) {
    const size = Buffer.byteLength(JSON.stringify(change)) + 1;
    if (bytes + size > mostBytes) {
      texts.push(JSON.stringify({ tenantId, changes: fitting }));
      [fitting, bytes] = [[], 0];
    }
    fitting.push(change);
    bytes += size;
  }
  return [...texts, JSON.stringify({ tenantId, changes: fitting })];
}

export function fromChangeText(text: string): TenantChanges {
  return JSON.parse(text) as TenantChanges;
}
