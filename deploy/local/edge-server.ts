import { join } from 'node:path';
import { startNginx } from '@tributary/native-servers/nginx';
import { edgeLimits } from '../edge/edge-limits.ts';
import { renderEdge } from '../edge/render-edge.ts';
import { wholeConfig } from '../edge/whole-config.ts';
import { uidOf } from './os-users.ts';
import type { Ports } from './ports.ts';
import type { ServiceGroup } from './service-group.ts';
import type { StateDir } from './state-dir.ts';

type PublicService = 'ingest-api' | 'legacy-events' | 'processor-events' | 'widget' | 'portal';

/** nginx in front of the replicas that run now. */
export function startEdge(options: {
  state: StateDir;
  ports: Ports;
  services: Record<PublicService, ServiceGroup>;
}) {
  const { state, ports, services } = options;
  const limits = edgeLimits(process.env);
  const http = renderEdge({
    listen: `127.0.0.1:${ports.edge}`,
    ingestApi: addresses(services['ingest-api']),
    legacyEvents: addresses(services['legacy-events']),
    processorEvents: addresses(services['processor-events']),
    widget: addresses(services.widget),
    portal: addresses(services.portal),
    refusalsLog: join(state.data, 'edge', 'refusals.log'),
    statusListen: `127.0.0.1:${ports.edgeStatus}`,
    counter: `127.0.0.1:${ports.edgeMetricsAdmin}`,
    limits,
  });
  const logFile = join(state.logs, 'edge.log');
  return startNginx({
    dir: join(state.data, 'edge'),
    uid: uidOf('edge'),
    port: ports.edge,
    logFile,
    configText: wholeConfig(http, limits),
  });
}

function addresses(group: ServiceGroup): string[] {
  return group.replicas.map(({ port }) => `127.0.0.1:${port}`);
}
