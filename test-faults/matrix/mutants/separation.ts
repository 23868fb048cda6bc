import type { Mutant } from './mutant.ts';

const sendDelivery = 'services/webhook-dispatcher/src/endpoint/send-delivery.ts';

/** What one customer, or a reader of logs, must not see. */
export const separation: readonly Mutant[] = [
  {
    name: 'cross-tenant-read',
    breaks: 'a customer who looks up the code of another one gets it, with its owner',
    ...{ row: 'flush-redis', promises: [11] },
    file: 'services/ingest-api/src/db/referral-codes.ts',
    from: 'where tenant_id = $1 and ucc = $2',
    to: 'where $1::text is not null and ucc = $2',
  },
  {
    name: 'webhooks-to-another-customer',
    breaks: 'all webhooks go to the endpoint that was used first',
    ...{ row: 'flush-redis', promises: [11], file: sendDelivery },
    from: `    const known = preparedByTenant.get(endpoint.tenantId);
    if (known && isSame(known.endpoint, endpoint)) return known;`,
    to: `    const [known] = preparedByTenant.values();
    if (known) return known;`,
  },
  {
    name: 'person-in-the-log',
    breaks: 'the log line about an event that was not taken has the name of its user',
    ...{ row: 'kill-kafka', promises: [12] },
    file: 'services/legacy-events/src/http/events-route.ts',
    from: '        error: stored.cause,\n',
    to: '        error: stored.cause,\n        person: reading.person,\n',
  },
  {
    name: 'password-in-the-log',
    breaks: 'the header with the password of an endpoint is printed',
    ...{ row: 'receiver-fails', promises: [12], file: sendDelivery },
    from: '    const overlaps = previous && now.getTime() < previous.untilMs;',
    to: `    const overlaps = previous && now.getTime() < previous.untilMs;
    if (attempt > 1) console.error(JSON.stringify({ attempt, sent: authorization }));`,
  },
];
