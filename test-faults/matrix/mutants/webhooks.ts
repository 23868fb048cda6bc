import type { Mutant } from './mutant.ts';

const sendDelivery = 'services/webhook-dispatcher/src/endpoint/send-delivery.ts';
const body = '      body,\n      scrub,\n';

/** How a customer hears of a reward. */
export const webhooks: readonly Mutant[] = [
  {
    name: 'redelivery-under-new-id',
    breaks: 'a webhook that is sent again has another event id',
    ...{ row: 'receiver-fails', promises: [6], file: sendDelivery, from: body },
    to: `      body:
        attempt === 1
          ? body
          : Buffer.from(
              String(body).replace(/"eventId":"[^"]*"/, \`"eventId":"\${crypto.randomUUID()}"\`),
            ),
      scrub,
`,
  },
  {
    name: 'redelivery-made-anew',
    breaks: 'a webhook that is sent again has other bytes',
    ...{ row: 'receiver-fails', promises: [6], file: sendDelivery, from: body },
    to: `      body: Buffer.from(
        String(body).replace(/"createdTs":"[^"]*"/, \`"createdTs":"\${now.toISOString()}"\`),
      ),
      scrub,
`,
  },
  {
    name: 'error-is-delivery',
    breaks: 'whatever an endpoint answers, the webhook is delivered',
    ...{ row: 'receiver-fails', promises: [6] },
    file: 'services/webhook-dispatcher/src/domain/outcome.ts',
    from: 'const delivered = statusCode >= 200 && statusCode <= 299;',
    to: 'const delivered = statusCode >= 200;',
  },
  {
    name: 'issuances-left-out',
    breaks: 'of issuances that are read together only the first one is sent',
    ...{ row: 'flush-redis', promises: [6] },
    file: 'services/webhook-dispatcher/src/log/apply-records.ts',
    from: '(records as Incoming<IssuanceFact>[]).filter(isIssued);',
    to: '(records as Incoming<IssuanceFact>[]).filter(isIssued).slice(0, 1);',
  },
];
