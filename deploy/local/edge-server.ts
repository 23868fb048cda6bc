import { join } from 'node:path';
import { startNginx } from '@tributary/native-servers/nginx';
import { edgeLimits } from '../edge/edge-limits.ts';
import { renderEdge } from '../edge/render-edge.ts';
import { wholeConfig } from '../edge/whole-config.ts';
import type { ServiceGroup } from './service-group.ts';
import { uidOf } from './os-users.ts';
import type { StateDir } from './state-dir.ts';

type PublicService = 'ingest-api' | 'legacy-events' | 'processor-events' | 'widget' | 'portal';

/** nginx in front of the replicas that run now. */
export function startEdge(options: {
  state: StateDir;
  port: number;
  services: Record<PublicService, ServiceGroup>;
}) {
  const { state, port, services } = options;
  const limits = edgeLimits(process.env);
  const http = renderEdge({
    listen: `127.0.0.1:${port}`,
    ingestApi: addresses(services['ingest-api']),
    legacyEvents: addresses(services['legacy-events']),
    processorEvents: addresses(services['processor-events']),
    widget: addresses(services.widget),
    portal: addresses(services.portal),
    refusalsLog: join(state.data, 'edge', 'refusals.log'),
    limits,
  });
  const logFile = join(state.logs, 'edge.log');
  return startNginx({
    dir: join(state.data, 'edge'),
    uid: uidOf('edge'),
    port,
    logFile,
    configText: wholeConfig(http, limits),
  });
}

function addresses(group: ServiceGroup): string[] {
  return group.replicas.map(({ port }) => `127.0.0.1:${port}`);
}
