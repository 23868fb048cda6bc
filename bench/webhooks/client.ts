import { parseKeyRing } from '@tributary/runtime/key-rings';
import { parseNetworks } from '../../packages/guarded-connections/src/address-rules.ts';
import { createExchange } from '../../services/webhook-dispatcher/src/endpoint/exchange.ts';
import { createDeliverySender } from '../../services/webhook-dispatcher/src/endpoint/send-delivery.ts';
import { parsePorts } from '../../services/webhook-dispatcher/src/domain/allowed-ports.ts';
import { evaluateExchange } from '../../services/webhook-dispatcher/src/domain/outcome.ts';
import { allowedNetworks, allowedPorts, type Endpoint } from './endpoints.ts';

export type ClientSettings = { keyRing: string; endpoints: Endpoint[] };

export type Attempt = {
  startedAt: Date;
  durationMs: number;
  statusCode: number;
  headers: readonly (readonly [string, string])[];
  body: string;
};

/**
 * The client of the dispatcher, for all others: the same connections, credentials, checks and
 * bounds. Throws when it is not delivered, as jobs of queues do.
 */
export function createClient({ keyRing, endpoints }: ClientSettings) {
  const send = createDeliverySender({
    exchange: createExchange({
      timeoutMs: 10_000,
      answerLimitBytes: 16_384,
      allowedNetworks: parseNetworks(allowedNetworks),
      dnsServers: [],
    }),
    secrets: parseKeyRing(keyRing),
    environment: 'sandbox',
    allowedPorts: parsePorts(allowedPorts),
  });

  return async (job: { endpoint: number; body: string }, attempt: number): Promise<Attempt> => {
    const startedAt = new Date();
    const startedMs = performance.now();
    const request = { body: Buffer.from(job.body), attempt, now: startedAt };
    const end = await send(request, endpoints[job.endpoint]!);
    if (end.end !== 'answered' || !evaluateExchange(end).delivered) {
      throw new Error(end.end === 'answered' ? `status ${end.statusCode}` : end.result);
    }
    const durationMs = Math.round(performance.now() - startedMs);
    const { headers, body } = end.answer;
    return { startedAt, durationMs, statusCode: end.statusCode, headers, body };
  };
}
