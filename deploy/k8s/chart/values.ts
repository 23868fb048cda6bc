import { topicPartitions } from '@tributary/contracts/topics';
import { addresses, clusterDomain, namespace } from '../cluster/addresses.ts';
import { appImage, edgeImage } from '../image/make-images.ts';
import type { ClusterServers } from '../servers.ts';
import { deploymentOf } from './names.ts';

const small = { requests: { cpu: '20m', memory: '128Mi' }, limits: { memory: '1Gi' } };

/** Customers are answered also when the others take all that the cores have. */
const busy = { requests: { cpu: '300m', memory: '128Mi' }, limits: { memory: '1Gi' } };

const fewest = 1;
const most = 3;

/** Values of the chart for a cluster on one small machine, where KEDA is quick to decide. */
export function clusterValues(
  { addresses: found, redis, postgres }: ClusterServers,
  { scaling: isScaled }: { scaling: boolean },
) {
  const plain = { tls: { enabled: false } };
  const scaling = { minReplicas: fewest, maxReplicas: most, lag: 150 };
  const idle = { replicas: 1, scaling: null, resources: small };
  const machine = { ipBlock: { cidr: `${addresses.machine}/32` } };
  return {
    environment: 'sandbox',
    publicUrl: `http://${deploymentOf('edge')}.${namespace}.svc.${clusterDomain}`,
    image: { repository: appImage.repository, tag: appImage.tag, pullPolicy: 'Never' },
    kafka: {
      ...{ ...plain, brokers: found.kafkaBrokers, compression: 'zstd' },
      ...{ replication: 1, minInsync: 1 },
    },
    postgres: { ...plain, host: addresses.machine, port: postgres.port },
    redis: { ...plain, host: addresses.machine, port: redis.port },
    // As in any small deployment: each member of a group fetches from all partitions that it holds.
    jobs: { topics: { partitions: String(topicPartitions) } },
    services: {
      'ingest-api': { ...idle, replicas: 2, resources: busy },
      'legacy-events': idle,
      'processor-events': idle,
      attribution: { resources: small, scaling },
      rewards: { resources: small, scaling },
      'webhook-dispatcher': {
        ...{ resources: small, scaling: { ...scaling, due: 150 } },
        settings: {
          TRIBUTARY_WEBHOOK_ALLOWED_NETWORKS: `${addresses.machine}/32`,
          TRIBUTARY_WEBHOOK_ALLOWED_PORTS: '1-65535',
        },
      },
      replay: idle,
      widget: idle,
      portal: { ...idle, settings: { TRIBUTARY_INSECURE_COOKIES: true } },
    },
    // The customers' endpoint is on the machine, and so is KEDA's operator.
    networkPolicy: { outside: { to: [machine] }, metricsFrom: [machine] },
    edge: {
      ...{ image: edgeImage, replicas: 2, workers: 1, resources: small },
      // All customers have one address here, and wait while something is down.
      requestsPerAddress: 20_000,
    },
    autoscaling: {
      enabled: isScaled,
      pollingSeconds: 3,
      behavior: {
        scaleUp: {
          stabilizationWindowSeconds: 0,
          policies: [{ type: 'Pods', value: 2, periodSeconds: 10 }],
        },
        scaleDown: {
          stabilizationWindowSeconds: 45,
          policies: [{ type: 'Pods', value: 1, periodSeconds: 15 }],
        },
      },
    },
  };
}
