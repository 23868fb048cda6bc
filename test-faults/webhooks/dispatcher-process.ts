import { setTimeout as delay } from 'node:timers/promises';
import { loadConfig } from '@tributary/runtime/config';
import { runService } from '@tributary/runtime/lifecycle';
import { createLogger } from '@tributary/runtime/logger';
import {
  type DispatcherSettings,
  startDispatcher,
} from '../../services/webhook-dispatcher/src/app.ts';
import {
  dispatcherSettings,
  WebhookDispatcherConfig,
} from '../../services/webhook-dispatcher/src/config.ts';
import { mergeSettings, type Order, type Report } from './orders.ts';

/**
 * A dispatcher as production starts it, that ends, sleeps or waits at a moment it was told of. Its
 * variables are the service's; what has no variable (breaker, lease, schedule) comes as JSON.
 */
const service = 'webhook-dispatcher';
const config = loadConfig(WebhookDispatcherConfig, process.env, service);
const logger = createLogger({ service, level: config.TRIBUTARY_LOG_LEVEL });
const changes = JSON.parse(process.env['TEST_SETTINGS'] ?? '{}') as Record<string, unknown>;
const settings = mergeSettings(dispatcherSettings(config), changes) as DispatcherSettings;

const orders: Order[] = [];
let waiting: (() => void)[] = [];

process.on('message', (message: Order | 'go' | 'disarm') => {
  if (typeof message === 'object') {
    orders.push(message);
    return;
  }
  orders.length = 0;
  if (message === 'disarm') return;
  for (const goOn of waiting) goOn();
  waiting = [];
});
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

function tell(report: Report): Promise<void> {
  return new Promise((resolve) => process.send!(report, () => resolve()));
}

async function observe(moment: Order['moment']): Promise<void> {
  const order = orders.find((known) => known.moment === moment);
  if (order === undefined) return;
  order.times -= 1;
  if (order.times > 0) return;
  if (order.act !== 'wait-onwards') orders.splice(orders.indexOf(order), 1);
  if (order.act === 'SIGKILL') process.kill(process.pid, 'SIGKILL');
  const waited = new Promise<void>((resolve) => waiting.push(resolve));
  await tell({ reached: moment });
  await waited;
  if (order.act !== 'SIGTERM') return;
  process.kill(process.pid, 'SIGTERM');
  // A signal is handled in a later turn of the loop.
  await delay(100);
}

runService({
  logger,
  stopTimeoutMs: config.TRIBUTARY_WEBHOOK_TIMEOUT_MS + 10_000,
  start: async (onStop) => {
    const { adminPort } = await startDispatcher(settings, { logger, onStop, observe });
    await tell({ adminPort });
  },
});
