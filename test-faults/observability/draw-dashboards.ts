import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromiumProgram } from '@tributary/testkit/chromium-program';
import { chromium } from 'playwright-core';
import type { PrometheusApi, Series } from '../../deploy/observability/prometheus-api.ts';
import { dashboardPage, type DrawnRow } from './dashboard-page.ts';
import { createTraffic } from './traffic.ts';
import { scrapeSeconds, shortWindow, startWatchedStack } from './watched-stack.ts';

// `node test-faults/observability/draw-dashboards.ts [MINUTES]` runs the whole system for some
// minutes, with an endpoint and Redis away for a while, and draws the dashboards of that time into
// docs/images. The panels are those of the JSON that Grafana imports, and their data is that of
// Prometheus; only the drawing is not Grafana's.

type Dashboard = { title: string; uid: string; panels: JsonPanel[] };
type JsonPanel = {
  type: string;
  title: string;
  fieldConfig?: { defaults: { unit: string } };
  targets?: { expr: string; legendFormat: string }[];
};
type Range = { fromSeconds: number; toSeconds: number; stepSeconds: number };

const minutes = Number(process.argv[2] ?? 8);
const watched = await startWatchedStack();
try {
  await runFor(minutes * 60_000);
  const toSeconds = Math.floor(Date.now() / 1_000);
  const range = {
    fromSeconds: toSeconds - minutes * 60,
    toSeconds,
    stepSeconds: 2 * scrapeSeconds,
  };
  for (const name of ['flow', 'consumers']) await drawDashboard(name, range);
} finally {
  await watched.stop();
}

async function runFor(ms: number): Promise<void> {
  const { stack } = watched;
  const traffic = await createTraffic(stack);
  const going = traffic.keepOn(150);
  await delay(ms / 3);
  await stack.receiver.kill();
  await delay(ms / 6);
  await stack.receiver.restart();
  await delay(ms / 6);
  await stack.servers.redis.kill();
  await delay(ms / 12);
  await stack.servers.redis.restart();
  await delay(ms / 4);
  await going.stop();
}

async function drawDashboard(name: string, range: Range): Promise<void> {
  const file = `../../deploy/observability/dashboards/tributary-${name}.json`;
  const text = await readFile(new URL(file, import.meta.url), 'utf8');
  const dashboard = JSON.parse(text) as Dashboard;
  const count = Math.floor((range.toSeconds - range.fromSeconds) / range.stepSeconds) + 1;
  const times = Array.from({ length: count }, (_, i) => range.fromSeconds + i * range.stepSeconds);
  const rows: { title: string; panels: DrawnRow['panels'][number][] }[] = [];
  for (const panel of dashboard.panels) {
    if (panel.type === 'row') rows.push({ title: panel.title, panels: [] });
    else rows.at(-1)?.panels.push(await drawnPanel(watched.prometheus, panel, { range, times }));
  }
  const target = fileURLToPath(new URL(`../../docs/images/dashboard-${name}.png`, import.meta.url));
  await takePicture(dashboardPage(dashboard.title, times, rows), target);
  console.log(`written: ${target}`);
}

async function drawnPanel(
  prometheus: PrometheusApi,
  { title, fieldConfig, targets = [] }: JsonPanel,
  { range, times }: { range: Range; times: readonly number[] },
) {
  const series = [];
  for (const { expr, legendFormat } of targets) {
    const query = expr.replaceAll('$__rate_interval', shortWindow);
    for (const found of await prometheus.queryRange(query, range)) {
      const label = legendFormat.replace(
        /\{\{(\w+)\}\}/g,
        (_, name: string) => found.labels[name] ?? '',
      );
      series.push({ label: label.trim(), values: valuesAt(found, times) });
    }
  }
  return { title, unit: fieldConfig?.defaults.unit ?? 'short', series };
}

function valuesAt({ points }: Series, times: readonly number[]): (number | null)[] {
  const found = new Map(points.map(({ at, value }) => [Math.round(at), value]));
  return times.map((at) => {
    const value = found.get(at);
    return value === undefined || !Number.isFinite(value) ? null : value;
  });
}

async function takePicture(html: string, path: string): Promise<void> {
  const browser = await chromium.launch({
    executablePath: chromiumProgram(),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
    await page.setContent(html);
    await page.screenshot({ path, fullPage: true });
  } finally {
    await browser.close();
  }
}
