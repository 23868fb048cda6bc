import { serviceTable } from '../local/service-table.ts';
import { settingsOfAll, settingsOfService } from './settings-schema.ts';

type JsonSchema = Record<string, unknown>;

// The schema of the chart's values. Helm refuses a name that is not in it, so every object is
// closed, but for those that are parts of Kubernetes' own objects.

/** Only these properties; none is required, for each has its default in values.yaml. */
const closed = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  additionalProperties: false,
  properties,
});
const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
const oneOf = (...values: string[]): JsonSchema => ({ enum: values });
/** Is put into an object of Kubernetes as it is, and checked there. */
const ofKubernetes: JsonSchema = { type: 'object' };
const listOfKubernetes = listOf(ofKubernetes);

const text: JsonSchema = { type: 'string' };
const name: JsonSchema = { type: 'string', minLength: 1 };
const flag: JsonSchema = { type: 'boolean' };
const count: JsonSchema = { type: 'integer', minimum: 1 };
const port: JsonSchema = { type: 'integer', minimum: 1, maximum: 65_535 };
const labels: JsonSchema = { type: 'object', additionalProperties: text };
const hostAndPort: JsonSchema = { type: 'string', pattern: '^[^\\s,:]+:[0-9]+$' };
const network: JsonSchema = { type: 'string', pattern: '^[0-9a-fA-F.:]+/[0-9]+$' };
const portOrRange: JsonSchema = { type: ['string', 'integer'], pattern: '^[0-9]+(-[0-9]+)?$' };

const tls = closed({ enabled: flag, caSecret: text, caKey: name });
const passwords = closed({ secret: name, key: name });
const resources = closed({ requests: ofKubernetes, limits: ofKubernetes });
const placement = {
  priorityClassName: text,
  nodeSelector: labels,
  tolerations: listOfKubernetes,
  affinity: ofKubernetes,
};

const scaling: JsonSchema = {
  ...closed({
    minReplicas: count,
    maxReplicas: count,
    lag: count,
    due: count,
    cpuPercent: { type: 'integer', minimum: 1, maximum: 1_000 },
  }),
  type: ['object', 'null'],
};

const services = Object.fromEntries(
  serviceTable.map((service) => [
    service.name,
    closed({
      replicas: { type: 'integer', minimum: 0 },
      scaling,
      resources,
      settings: settingsOfService(service),
      env: listOf({
        ...closed({ name, value: text, valueFrom: ofKubernetes }),
        required: ['name'],
      }),
      ...placement,
    }),
  ]),
);

const kafka = closed({
  brokers: { type: 'string', pattern: '^([^\\s,:]+:[0-9]+(,\\s*[^\\s,:]+:[0-9]+)*)?$' },
  tls,
  sasl: closed({
    mechanism: oneOf('', 'plain', 'scram-sha-256', 'scram-sha-512'),
    userPrefix: text,
    passwords,
  }),
  allowInsecure: flag,
  topicPrefix: { type: 'string', pattern: '^[A-Za-z0-9._-]*$', maxLength: 100 },
  replication: { type: 'integer', minimum: 1, maximum: 15 },
  minInsync: { type: 'integer', minimum: 1, maximum: 15 },
  compression: oneOf('none', 'zstd'),
});

const postgres = closed({
  host: text,
  port,
  database: name,
  tls,
  userPrefix: { type: 'string', pattern: '^[a-z_][a-z0-9_]{0,30}_$' },
  passwords,
  allowInsecure: flag,
});

const redis = closed({
  host: text,
  port,
  tls,
  userPrefix: text,
  passwords,
  clusterNodes: listOf(hostAndPort),
  sentinelsSecret: text,
  allowInsecure: flag,
});

const edge = closed({
  enabled: flag,
  image: name,
  uid: count,
  replicas: count,
  workers: count,
  workerConnections: count,
  trustedProxies: listOf(network),
  requestsPerAddress: count,
  requestsPerReplica: { type: 'integer', minimum: 1, maximum: 1_000 },
  requestsPerConnection: count,
  headerSeconds: count,
  resources,
  metrics: closed({ resources }),
  service: closed({
    type: oneOf('ClusterIP', 'LoadBalancer', 'NodePort'),
    port,
    annotations: labels,
  }),
  ...placement,
});

const partitionsPattern = '^([0-9]+|[A-Za-z]+=[0-9]+(,[A-Za-z]+=[0-9]+)*)?$';

const jobs = closed({
  topics: closed({ enabled: flag, partitions: { type: 'string', pattern: partitionsPattern } }),
  kafkaRights: closed({ enabled: flag, adminSecret: name }),
  storeRoles: closed({ enabled: flag, adminSecret: name }),
  migrations: closed({ enabled: flag }),
  backoffLimit: { type: 'integer', minimum: 0 },
  deadlineSeconds: count,
  resources,
});

const autoscaling = closed({
  enabled: flag,
  source: oneOf('services', 'prometheus'),
  prometheus: closed({ serverAddress: text, metadata: labels, authenticationRef: text }),
  pollingSeconds: count,
  behavior: ofKubernetes,
});

const server = closed({ to: listOfKubernetes, ports: listOf(portOrRange) });
const networkPolicy = closed({
  enabled: flag,
  kafka: server,
  postgres: server,
  redis: server,
  traces: closed({ to: listOfKubernetes }),
  edgeFrom: listOfKubernetes,
  callersFrom: listOfKubernetes,
  metricsFrom: listOfKubernetes,
  outside: closed({
    to: listOfKubernetes,
    exceptIPv4: listOf(network),
    exceptIPv6: listOf(network),
    ports: closed({
      'webhook-dispatcher': listOf(portOrRange),
      'processor-events': listOf(portOrRange),
      portal: listOf(portOrRange),
    }),
  }),
});

/** As Helm wants it in `values.schema.json`. */
export const valuesSchema: JsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Values of the chart tributary',
  ...closed({
    environment: oneOf('prod', 'sandbox'),
    publicUrl: { type: 'string', pattern: '^(https?://[^\\s/]+)?$' },
    image: closed({
      repository: name,
      tag: { type: 'string', pattern: '^[A-Za-z0-9_.-]*$' },
      digest: { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' },
      pullPolicy: oneOf('Always', 'IfNotPresent', 'Never'),
      pullSecrets: listOf(name),
    }),
    kafka,
    postgres,
    redis,
    keys: closed({ secret: name }),
    internalLinks: closed({ allowInsecure: flag }),
    settings: settingsOfAll(),
    services: closed(services),
    replay: closed({
      persistence: closed({ enabled: flag, existingClaim: text, storageClass: text, size: name }),
    }),
    edge,
    ingress: closed({
      enabled: flag,
      className: text,
      hosts: listOf(name),
      tlsSecret: text,
      annotations: labels,
    }),
    jobs,
    autoscaling,
    serviceMonitor: closed({ enabled: flag, interval: name, labels }),
    prometheusRule: closed({ enabled: flag, labels }),
    pods: closed({
      labels,
      annotations: labels,
      ...placement,
      preStopSeconds: { type: 'integer', minimum: 1, maximum: 120 },
      startupSeconds: { type: 'integer', minimum: 10 },
    }),
    serviceAccountName: text,
    fullnameOverride: text,
    networkPolicy,
    // Helm adds it to every chart.
    global: ofKubernetes,
  }),
};
