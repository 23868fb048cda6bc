import { join } from 'node:path';
import { type ServiceReplica, startReplica } from './service-replica.ts';
import { repository, type StateDir } from './state-dir.ts';

/** The customer's side of the local system, looked after like a service. */
export function startDemoReceiver(options: {
  state: StateDir;
  port: number;
  webhookKey: string;
  /** Where it keeps what it received. */
  file: string;
  say: (line: string) => void;
  onChange: () => void;
}): ServiceReplica {
  const { state, port, webhookKey, say, onChange } = options;
  return startReplica({
    name: 'demo-receiver',
    script: join(repository, 'deploy/demo-receiver/main.ts'),
    cwd: repository,
    env: {
      TRIBUTARY_PORT: String(port),
      TRIBUTARY_DEMO_WEBHOOK_KEY: webhookKey,
      TRIBUTARY_DEMO_RECEIVED_FILE: options.file,
    },
    logFile: join(state.logs, 'demo-receiver.log'),
    user: 'demo-receiver',
    port: undefined,
    adminPort: port,
    say,
    onChange,
  });
}
