import { defaultWidgetSettings, type WidgetSettings } from '@tributary/contracts/widget-settings';
import type { Tx } from '@tributary/runtime/postgres';

/** The defaults of the contract where the tenant has set nothing. */
export async function readWidgetSettings(tx: Tx, tenantId: string): Promise<WidgetSettings> {
  const { rows } = await tx.query<{ settings: WidgetSettings }>(
    `select settings from widget_settings where tenant_id = $1`,
    [tenantId],
  );
  return rows[0]?.settings ?? defaultWidgetSettings;
}

/** Writes the first settings of a tenant or replaces them; gives the new version. */
export async function putWidgetSettings(
  tx: Tx,
  tenantId: string,
  settings: WidgetSettings,
  at: Date,
): Promise<number> {
  const { rows } = await tx.query<{ version: number }>(
    `insert into widget_settings (tenant_id, settings, version, changed_at)
     values ($1, $2, 1, $3)
     on conflict (tenant_id) do update set
       settings = excluded.settings, version = widget_settings.version + 1,
       changed_at = excluded.changed_at
     returning version`,
    [tenantId, JSON.stringify(settings), at],
  );
  return rows[0]!.version;
}
