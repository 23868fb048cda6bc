import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPrometheus } from '@tributary/native-servers/prometheus';
import { freePort } from '@tributary/testkit/free-port';
import { serviceTable } from '../../deploy/local/service-table.ts';
import type { Stack } from '../../deploy/local/stack.ts';
import { startThrowawayStack } from '../../deploy/local/throwaway-stack.ts';
import {
  createPrometheusApi,
  type PrometheusApi,
} from '../../deploy/observability/prometheus-api.ts';
import { prometheusConfig } from '../../deploy/observability/prometheus-config.ts';

const rules = new URL('../../deploy/observability/alerts.yaml', import.meta.url);

/** Seconds between two scrapes. */
export const scrapeSeconds = 2;
/** What stands for `$__rate_interval`, and for the five minutes of the alerts. */
export const shortWindow = '20s';

export type WatchedStack = {
  stack: Stack;
  prometheus: PrometheusApi;
  startedSeconds: number;
  stop(): Promise<void>;
};

/**
 * The whole system, and a Prometheus that evaluates the alerts over it. Their rates are over 20
 * seconds of scrapes instead of over five minutes; all else is as it is in the file.
 */
export async function startWatchedStack(): Promise<WatchedStack> {
  const stack = await startThrowawayStack();
  const dir = await mkdtemp(join(tmpdir(), 'tributary-prometheus-'));
  const removeAll = async () => {
    await stack.stop();
    await rm(dir, { recursive: true, force: true });
  };
  try {
    const text = await readFile(rules, 'utf8');
    await writeFile(join(dir, 'alerts.yaml'), text.replaceAll('[5m]', `[${shortWindow}]`));
    const ofServices = serviceTable.flatMap(({ name }) => stack.services[name].replicas);
    const replicas = [...ofServices, stack.edgeMetrics];
    const server = await startPrometheus({
      dir,
      port: await freePort(),
      configText: prometheusConfig({
        targets: replicas.map(({ adminPort }) => `127.0.0.1:${adminPort}`),
        intervalSeconds: scrapeSeconds,
        ruleFiles: ['alerts.yaml'],
      }),
    });
    return {
      stack,
      prometheus: createPrometheusApi(server.url),
      startedSeconds: Math.floor(Date.now() / 1_000),
      async stop() {
        await server.stop();
        await removeAll();
      },
    };
  } catch (error) {
    await removeAll();
    throw error;
  }
}
