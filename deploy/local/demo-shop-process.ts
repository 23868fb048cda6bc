import { join } from 'node:path';
import type { Demo } from '../demo/demo-file.ts';
import { shopVariables } from '../demo/shop-variables.ts';
import { type ServiceReplica, startReplica } from './service-replica.ts';
import { repository, type StateDir } from './state-dir.ts';

/** The customer with pages, looked after like a service; it can start when its tenant is there. */
export function startDemoShop(options: {
  state: StateDir;
  port: number;
  demo: Demo;
  /** Where it keeps its customers. */
  file: string;
  say: (line: string) => void;
  onChange: () => void;
}): ServiceReplica {
  const { state, port, demo, say, onChange } = options;
  return startReplica({
    name: 'demo-shop',
    script: join(repository, 'deploy/demo-shop/main.ts'),
    cwd: repository,
    env: {
      ...shopVariables(demo),
      TRIBUTARY_BASE_URL: demo.baseUrl,
      TRIBUTARY_PORT: String(port),
      TRIBUTARY_DEMO_SHOP_FILE: options.file,
    },
    logFile: join(state.logs, 'demo-shop.log'),
    user: 'demo-shop',
    port: undefined,
    adminPort: port,
    say,
    onChange,
  });
}
