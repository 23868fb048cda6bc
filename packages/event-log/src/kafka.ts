import { defaultSessionTimeoutMs, type KafkaSettings } from '@tributary/runtime/variables';
import type { Logger } from '@tributary/runtime/logger';
import kafkajs, { type KafkaConfig, type SASLOptions } from 'kafkajs';
import { registerZstd } from './zstd-codec.ts';

/**
 * A way to the brokers. What is inside belongs to this package: nobody else sees kafkajs, so that
 * its habits (docs/decisions/0002) stay here.
 */
export type KafkaConnection = {
  readonly client: kafkajs.Kafka;
  readonly clientId: string;
  /** Who the brokers take this for, as they name it in their permissions. */
  readonly principal: string;
  readonly sessionTimeoutMs: number;
  /** How batches are written; every reader reads all that the codecs know. */
  readonly compression: kafkajs.CompressionTypes;
};

export function createKafka(options: {
  settings: KafkaSettings;
  clientId: string;
  logger: Logger;
}): KafkaConnection {
  const { settings, clientId, logger } = options;
  const config: KafkaConfig = {
    clientId,
    brokers: [...settings.brokers],
    connectionTimeout: 3_000,
    authenticationTimeout: 5_000,
    requestTimeout: 6_000,
    retry: { initialRetryTime: 100, maxRetryTime: 2_000, retries: 5 },
    logLevel: kafkajs.logLevel.WARN,
    logCreator: () => (entry) => forward(logger, entry),
  };
  if (settings.tls) config.ssl = settings.tls.ca === undefined ? true : { ca: [settings.tls.ca] };
  if (settings.sasl) config.sasl = settings.sasl as SASLOptions;
  const { sessionTimeoutMs = defaultSessionTimeoutMs } = settings;
  registerZstd();
  const { ZSTD, None } = kafkajs.CompressionTypes;
  const compression = settings.compression === 'zstd' ? ZSTD : None;
  const principal = `User:${settings.sasl?.username ?? 'ANONYMOUS'}`;
  return { client: new kafkajs.Kafka(config), clientId, principal, sessionTimeoutMs, compression };
}

/**
 * kafkajs calls every retried hiccup an error; here all of its lines are warnings, and what really
 * stops work is logged by the caller that it stops.
 */
function forward(logger: Logger, { namespace, log }: kafkajs.LogEntry): void {
  const { message, timestamp: _timestamp, logger: _logger, stack: _stack, ...fields } = log;
  const picked: Record<string, unknown> = { namespace };
  for (const name of ['groupId', 'topic', 'partition', 'broker', 'error', 'retryCount']) {
    if (fields[name] !== undefined) picked[name] = String(fields[name]);
  }
  logger.warn(`kafka client: ${message}`, picked);
}
