import { playMainJob } from '../../demo/main-job.ts';
import { formatMainJob } from '../../demo/print-main-job.ts';
import type { Row } from '../table.ts';
import type { World } from '../world.ts';

const limitSeconds = 120;

/** One purchase through the edge's Service to the customer's webhook. */
export async function mainJobPhase(
  { baseUrl, tenants, say }: World,
  /** Since the command began, in milliseconds, without what had to be built first. */
  elapsedMs: () => number,
): Promise<Row> {
  const [tenant] = tenants;
  const { receivedUrl } = tenant!.webhook;
  const job = await playMainJob({ baseUrl, tenant: tenant!, receivedUrl, deadlineMs: 60_000 });
  const seconds = elapsedMs() / 1_000;
  say(formatMainJob(job));
  const { accepted, acceptedToWebhookMs } = job;
  return {
    phase: '1 main job',
    asked: `purchase → webhook in pods within ${limitSeconds} s of the command`,
    seen: `${accepted.status}, webhook after ${acceptedToWebhookMs} ms; ${seconds.toFixed(0)} s`,
    ok: accepted.status === 202 && seconds <= limitSeconds,
  };
}
