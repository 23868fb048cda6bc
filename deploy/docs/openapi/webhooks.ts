import { webhookExamples } from './examples.ts';
import type { Json } from './json-schema.ts';
import { schemaRef } from './schemas.ts';

/** What this service sends to the customer's endpoint (interface 6.1). */
export const webhooks: Record<string, Json> = {
  'new-reward': {
    post: {
      operationId: 'newReward',
      tags: ['Webhook'],
      summary: 'A reward was issued',
      description:
        'Sent to your HTTPS endpoint when a credit reward is issued, at least once: deduplicate by ' +
        '`eventId`, which is the same on every retry. Answer with 2xx within ten seconds and do the ' +
        'work afterwards. Anything else, a redirect or a timeout leads to retries: at once, then ' +
        'after 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 2 h, 4 h, 8 h, 12 h, 24 h and 24 h (about ' +
        'three days, each ±20 %). `Retry-After` can only postpone the next one.',
      security: [{ webhookCredentials: [] }],
      parameters: [
        {
          name: 'X-Service-Env',
          in: 'header',
          required: true,
          description: 'Which deployment sends.',
          schema: { type: 'string', enum: ['prod', 'sandbox'] },
        },
        {
          name: 'X-Tributary-Attempt',
          in: 'header',
          required: true,
          description: 'Which attempt this is, from 1.',
          schema: { type: 'integer', minimum: 1 },
        },
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: schemaRef('WebhookPayload'), examples: webhookExamples },
        },
      },
      responses: {
        '2XX': {
          description:
            'Received; also for an `eventId` that was seen before, and for an `eventType` or ' +
            '`rewardType` that is not known.',
        },
        '400': {
          description:
            '`eventId`, `rewardId` or `productUserId` is missing, or the amount is no number.',
        },
        '401': { description: 'No valid Basic credentials.' },
        default: { description: 'Sent again, see above.' },
      },
    },
  },
};
