import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** In the containers of docker-compose.yml: a volume for each reader of variables. */
export const variablesDir = '/variables';

/** What `node --env-file` reads in the container of that name. */
export function writeEnvFile(name: string, variables: Record<string, string | number>): void {
  const lines = Object.entries(variables).map(([variable, value]) => `${variable}=${value}\n`);
  writeFileSync(join(variablesDir, name, 'env'), lines.join(''), { mode: 0o600 });
}
