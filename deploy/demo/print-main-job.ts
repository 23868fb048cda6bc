import type { MainJob } from './main-job.ts';

/** The main job as text: the request, the 202, the webhook as it arrived, and the time between. */
export function formatMainJob(job: MainJob): string {
  const { purchase, accepted, webhook } = job;
  return [
    `${job.token.request}`,
    `  → ${job.token.status} ${JSON.stringify(shortenToken(job.token.body))}`,
    '',
    `POST ${purchase.path}`,
    ...headerLines({ authorization: 'Bearer <ACCESS_TOKEN>', ...purchase.headers }),
    indent(purchase.body),
    `  → ${accepted.status} after ${accepted.tookMs} ms`,
    indent(accepted.body),
    '',
    `Webhook, ${job.acceptedToWebhookMs} ms after the 202:`,
    ...headerLines(webhook.headers),
    indent(webhook.body),
    '',
  ].join('\n');
}

const shownHeaders = ['authorization', 'content-type', 'idempotency-key', 'x-service-env'];

function headerLines(headers: Record<string, string>): string[] {
  return shownHeaders
    .filter((name) => headers[name] !== undefined)
    .map((name) => `  ${name}: ${headers[name]}`);
}

function indent(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/^/gm, '  ');
}

function shortenToken(body: unknown): unknown {
  const { accessToken, ...rest } = body as { accessToken: string };
  return { accessToken: `${accessToken.slice(0, 12)}…`, ...rest };
}
