import { createChartSecrets } from './secrets.ts';

/**
 * Prints the Secrets that the chart needs, with new keys and passwords, for `kubectl create -f -`.
 * Twice would be two different deployments: `create` refuses Secrets that are there.
 */
const list = { apiVersion: 'v1', kind: 'List', items: createChartSecrets() };
process.stdout.write(`${JSON.stringify(list, null, 2)}\n`);
