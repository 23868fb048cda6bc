import { createReceiver } from './receiver.ts';

/**
 * A customer's webhook endpoint, for trying the system out. Variables:
 * TRIBUTARY_PORT, TRIBUTARY_HOST (127.0.0.1), TRIBUTARY_DEMO_WEBHOOK_KEY (its Basic passwords are
 * derived from it), TRIBUTARY_DEMO_RECEIVED_FILE (what it got, one JSON line each; optional).
 */
const env = process.env;
const port = Number(env['TRIBUTARY_PORT']);
const webhookKey = env['TRIBUTARY_DEMO_WEBHOOK_KEY'];
if (!Number.isInteger(port) || port <= 0 || webhookKey === undefined || webhookKey === '') {
  console.error('demo-receiver: TRIBUTARY_PORT and TRIBUTARY_DEMO_WEBHOOK_KEY are needed');
  process.exit(1);
}

const receiver = createReceiver({ webhookKey, file: env['TRIBUTARY_DEMO_RECEIVED_FILE'] });
const server = receiver.listen(port, env['TRIBUTARY_HOST'] ?? '127.0.0.1');
server.on('error', (error) => {
  console.error('demo-receiver:', error.message);
  process.exit(1);
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    server.close(() => process.exit(0));
    server.closeAllConnections();
  });
}
