import { join } from 'node:path';
import type { Ports } from './ports.ts';
import { type ServiceReplica, startReplica } from './service-replica.ts';
import { repository, type StateDir } from './state-dir.ts';

/** Counts what the edge answers; the edge works without it. */
export function startEdgeMetrics(options: {
  state: StateDir;
  ports: Ports;
  say: (line: string) => void;
  onChange: () => void;
}): ServiceReplica {
  const { state, ports, say, onChange } = options;
  const name = 'edge-metrics';
  return startReplica({
    name,
    script: join(repository, 'services', name, 'src/main.ts'),
    cwd: join(repository, 'services', name),
    env: {
      TRIBUTARY_HOST: '127.0.0.1',
      TRIBUTARY_ADMIN_PORT: String(ports.edgeMetricsAdmin),
      TRIBUTARY_EDGE_STATUS_URL: `http://127.0.0.1:${ports.edgeStatus}/`,
    },
    logFile: join(state.logs, `${name}.log`),
    user: name,
    port: undefined,
    adminPort: ports.edgeMetricsAdmin,
    say,
    onChange,
  });
}
