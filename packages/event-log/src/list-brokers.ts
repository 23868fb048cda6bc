import type { KafkaConnection } from './kafka.ts';
import { withAdmin } from './with-admin.ts';

export type Broker = { nodeId: number; address: string; isController: boolean };

/** The brokers that are there, as one of them says. */
export async function listBrokers(kafka: KafkaConnection): Promise<Broker[]> {
  const { brokers, controller } = await withAdmin(kafka, (admin) => admin.describeCluster());
  return brokers
    .map(({ nodeId, host, port }) => ({
      nodeId,
      address: `${host}:${port}`,
      isController: nodeId === controller,
    }))
    .sort((a, b) => a.nodeId - b.nodeId);
}
