import { basic, creditsEach } from './checks.ts';
import type { Came } from './evaluate-answer.ts';
import { createExchange } from './exchange.ts';
import { deliveryHeaders } from './verify-endpoint.ts';

export type WebhookSettings = {
  url: URL;
  credentials: { username: string; password: string };
  eventType: string;
  /** Given again, it is a repetition. */
  eventId: string;
  rewardId: string;
  productUserId: string;
  amount?: number;
  environment: 'prod' | 'sandbox';
  timeoutMs: number;
  createdTs: string;
};

/** Sends one webhook as the service would, and resolves with what came back. */
export async function sendWebhook(settings: WebhookSettings): Promise<Came> {
  const { credentials, eventType, eventId, rewardId, productUserId, createdTs } = settings;
  const reward = { amount: settings.amount ?? creditsEach };
  const data = { rewardId, productUserId, rewardType: 'credits', reward };
  const body = JSON.stringify({ version: '1.0.0', eventType, createdTs, eventId, data });
  const authorization = basic(credentials.username, credentials.password);
  const headers = deliveryHeaders({ authorization, attempt: 1 }, settings.environment);
  const exchange = createExchange(settings);
  try {
    return await exchange.post({ headers, body });
  } finally {
    exchange.close();
  }
}
