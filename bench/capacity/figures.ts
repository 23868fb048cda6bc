/** One measured figure, with the benchmark of bench/README.md, or the page, that it is from. */
export type Figure = { value: number; is: string; source: string };

const figure = (value: number, is: string, source: string): Figure => ({ value, is, source });

/**
 * What one event costs, on cores of the machines that the benchmarks ran on: half of another core,
 * or twice, is no surprise.
 */
export const figures = {
  ingestUs: figure(126, 'µs of ingest-api, keyed (7,943 a second on one core)', '`ingest`'),
  attributionUs: figure(133, 'µs of attribution', '`pipeline`, rounds'),
  rewardsUs: figure(202, 'µs of rewards', '`pipeline`, rounds'),
  foldsPostgresUs: figure(99, 'µs of Postgres for the two folds', '`pipeline`, rounds'),
  kafkaUs: figure(27, 'µs of Kafka for the two folds', '`pipeline`, rounds'),
  dispatcherUs: figure(203, 'µs of webhook-dispatcher per webhook', '`webhooks`'),
  dispatcherPostgresUs: figure(143, 'µs of Postgres per webhook', '`webhooks`'),
  webhooks: figure(0.2, 'webhooks per event', '`pipeline`, rounds: 7,823 of 40,000'),
  walBytes: figure(8_885, 'bytes of WAL, all services', '`pipeline`, system'),
  foldTableBytes: figure(985 + 2_077 + 129, 'bytes of tables of the folds', '`pipeline`, system'),
  dispatchTableBytes: figure(456, 'bytes of tables of webhook-dispatcher', '`pipeline`, system'),
  readTableBytes: figure(1_848 + 391, 'bytes of tables of the read models', '`pipeline`, system'),
  topicBytes: figure(331, 'bytes of topics, one copy', '`pipeline`, system'),
  redisBytes: figure(
    188,
    'bytes of Redis per key, for 72 hours',
    '[decision 77](decisions/0077-an-idempotency-key-takes-188-bytes.md)',
  ),
  rebuildPerSecond: figure(
    3_072,
    'events a second of a rebuild, on two cores',
    '`pipeline`, rebuild',
  ),
} as const;
