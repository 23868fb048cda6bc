import { createAdminListener } from '@tributary/http/admin-listener';
import { createLife } from '@tributary/http/service-life';
import type { OnStop } from '@tributary/runtime/lifecycle';
import type { Logger } from '@tributary/runtime/logger';
import { sharedLook } from '@tributary/runtime/shared-look';
import { createEdgeMetrics } from './metrics.ts';
import { readStatus } from './nginx/read-status.ts';
import { createLineReceiver } from './nginx/receive-lines.ts';

export type EdgeMetricsSettings = {
  host: string;
  /** The internal listener has it, and by UDP the edge's lines come to it on loopback. */
  adminPort: number;
  statusUrl: string;
};

/** Builds and starts the service. It is ready without the edge: its metrics say that it is away. */
export async function startEdgeMetrics(
  settings: EdgeMetricsSettings,
  options: { logger: Logger; onStop: OnStop },
): Promise<{ adminPort: number }> {
  const { adminPort, statusUrl } = settings;
  const life = createLife({ service: 'edge-metrics', ...options });
  const status = sharedLook(() => readStatus(statusUrl));
  const metrics = createEdgeMetrics(life.registry, status);
  life.add('edge', {
    health: async () => {
      await status();
      return { ok: true };
    },
  });
  await life.start('lines', createLineReceiver({ port: adminPort, onRequest: metrics.count }));
  const listener = createAdminListener(settings, { ...life, losses: {} });
  return { adminPort: await life.add('admin-listener', listener).start() };
}
