import { readFileSync, statSync } from 'node:fs';

/** What a server writes into its log from now on. */
export function followLog(logFile: string): () => string {
  const { size } = statSync(logFile);
  return () => readFileSync(logFile).subarray(size).toString('utf8');
}
