import { homedir } from 'node:os';
import { join } from 'node:path';

/** What is built or downloaded once per user for Kubernetes; beside that of deploy/local/setup. */
export const kubernetesCache = join(
  process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'),
  'tributary',
  'k8s',
);
