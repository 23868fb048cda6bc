import type kafkajs from 'kafkajs';
import type { KafkaConnection } from './kafka.ts';

/**
 * Asks the brokers something over a connection of its own, which is closed whatever comes of it.
 */
export async function withAdmin<T>(
  kafka: KafkaConnection,
  work: (admin: kafkajs.Admin) => Promise<T>,
): Promise<T> {
  const admin = kafka.client.admin();
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}
