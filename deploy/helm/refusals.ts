/** Changes of values/minimal.yaml that Helm must refuse, and what it must say. */
export const refusals: readonly { values: object; says: string }[] = [
  { values: { kafak: {} }, says: 'kafak' },
  { values: { services: { attribution: { setings: {} } } }, says: 'setings' },
  {
    values: { services: { attribution: { settings: { TRIBUTARY_REDIS_URL: 'redis://a' } } } },
    says: 'TRIBUTARY_REDIS_URL',
  },
  {
    values: { services: { replay: { settings: { TRIBUTARY_REPLAY_WORKERS: 100 } } } },
    says: 'TRIBUTARY_REPLAY_WORKERS',
  },
  { values: { kafka: { brokers: 'kafka' } }, says: 'brokers' },
  { values: { kafka: { brokers: '' } }, says: 'kafka.brokers: give' },
  { values: { postgres: { host: '' } }, says: 'postgres.host: give' },
  { values: { kafka: { tls: { enabled: false } } }, says: 'set kafka.allowInsecure to true' },
  { values: { postgres: { tls: { enabled: false } } }, says: 'set postgres.allowInsecure to true' },
  { values: { redis: { tls: { enabled: false } } }, says: 'set redis.allowInsecure to true' },
  { values: { kafka: { sasl: { mechanism: '' } } }, says: 'production needs SASL' },
  { values: { internalLinks: { allowInsecure: false } }, says: 'encrypted' },
  { values: { publicUrl: 'http://referrals.example.com' }, says: 'publicUrl: production needs' },
  { values: { kafka: { minInsync: 4 } }, says: 'nothing could be written' },
  { values: { ingress: { enabled: true } }, says: 'ingress.hosts' },
  {
    values: { ingress: { enabled: true, hosts: ['referrals.example.com'] } },
    says: 'edge.trustedProxies',
  },
  {
    values: { edge: { enabled: false }, ingress: { enabled: true, hosts: ['a.example.com'] } },
    says: 'ingress.enabled needs edge.enabled',
  },
  {
    values: { autoscaling: { enabled: true, source: 'prometheus' } },
    says: 'autoscaling.prometheus.serverAddress: give',
  },
];
