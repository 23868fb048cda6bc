import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromiumProgram } from '@tributary/testkit/chromium-program';
import { eventually } from '@tributary/testkit/eventually';
import type { SentSpan } from '@tributary/testkit/span-collector';
import { expect } from 'chai';
import { chromium } from 'playwright-core';
import { startTracedStack, type TracedStack } from './traced-stack.ts';
import { sendToZipkin, startZipkin } from './zipkin.ts';

// `node test-faults/traces/draw-trace.ts` runs the whole system and a Zipkin, reports one purchase,
// and takes a picture of its trace, up to the webhook, from Zipkin's page into docs/images.

const dir = await mkdtemp(join(tmpdir(), 'tributary-zipkin-'));
const traced = await startTracedStack(1);
try {
  // The first ones find what no process has loaded yet.
  for (let i = 0; i < 20; i++) await findTrace(traced);
  const spans = await findTrace(traced);
  const zipkin = await startZipkin(dir);
  try {
    await sendToZipkin(zipkin.url, spans);
    await untilStored(zipkin.url, spans);
    await takePicture(zipkin.url, spans[0]!.traceId);
  } finally {
    await zipkin.stop();
  }
} finally {
  await traced.stop();
  await rm(dir, { recursive: true, force: true });
}

async function findTrace({ buy, collector }: TracedStack): Promise<SentSpan[]> {
  const { requestId } = await buy({ flags: null });
  const isOfRequest = ({ attributes }: SentSpan) =>
    attributes['tributary.request_id'] === requestId;
  return eventually(
    () => {
      const spans = collector.spans.filter(isOfRequest);
      const names = spans.map(({ name }) => name);
      expect(names).to.include('send webhook');
      expect(spans).to.have.length.of.at.least(7);
      return spans;
    },
    { deadlineMs: 30_000 },
  );
}

/** It answers before it has them, and its page does not ask again. */
async function untilStored(url: string, spans: readonly SentSpan[]): Promise<void> {
  await eventually(
    async () => {
      const answer = await fetch(`${url}/api/v2/trace/${spans[0]!.traceId}`);
      const stored = (await answer.json()) as unknown[];
      expect(stored).to.have.length(spans.length);
    },
    { deadlineMs: 60_000 },
  );
}

async function takePicture(url: string, traceId: string): Promise<void> {
  const path = fileURLToPath(new URL('../../docs/images/trace.png', import.meta.url));
  const browser = await chromium.launch({
    executablePath: chromiumProgram(),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1400, height: 800 } });
    await page.goto(`${url}/zipkin/traces/${traceId}`);
    await page.getByText('send webhook').first().waitFor({ timeout: 60_000 });
    await page.screenshot({ path });
    console.log(`written: ${path}`);
  } finally {
    await browser.close();
  }
}
