import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { chromiumProgram } from '@tributary/testkit/chromium-program';
import jwt from 'jsonwebtoken';
import { type Browser, chromium } from 'playwright-core';
import type { DemoTenant } from '../../deploy/demo/demo-file.ts';
import { startThrowawayStack } from '../../deploy/local/throwaway-stack.ts';
import { createAdminClient } from '../../deploy/demo/admin-client.ts';
import { type Benchmark, median } from '../report.ts';
import { type HostPages, startHostPages, type Variant, variants } from './host-pages.ts';
import { measurePage, type PageLoad, type PanelOpening } from './measure-page.ts';

const rounds = 9;
/** Lighthouse slows a desktop's processor down by this for its phone. */
const phoneSlowdown = 4;

type Measured = { load: PageLoad; panel: PanelOpening | undefined };

/**
 * What the browser scripts cost the page that embeds them: script evaluation, main thread, long
 * tasks and bytes, beside the same page without them in the same run.
 */
export const benchWidget: Benchmark = async ({ progress }) => {
  progress('starting the system and Chromium');
  const stack = await startThrowawayStack();
  const browser = await chromium.launch({
    executablePath: chromiumProgram(),
    args: ['--no-sandbox'],
  });
  try {
    const tenant = stack.demo.tenants.find(({ tenantId }) => tenantId === 'demo-shop');
    if (tenant === undefined) throw new Error('the demo has no tenant demo-shop');
    const pages = await startHostPages({
      assetsUrl: stack.demo.assetsUrl,
      ucc: tenant.referrer.ucc,
      token: () => tokenOf(tenant),
    });
    const admin = createAdminClient({
      baseUrl: stack.demo.baseUrl,
      token: stack.demo.adminToken,
    });
    const domain = new URL(pages.origin).host;
    await admin.call('POST', `/api/tenants/${tenant.tenantId}/domains`, { domain });
    try {
      const phone = await measureAll(browser, pages, phoneSlowdown, progress);
      const desktop = await measureAll(browser, pages, 1, progress);
      return await reportOf({ phone, desktop });
    } finally {
      await pages.stop();
    }
  } finally {
    await browser.close();
    await stack.stop();
  }
};

/**
 * Interleaved, so that a slow moment of the machine meets all variants. The first round warms up.
 */
async function measureAll(
  browser: Browser,
  pages: HostPages,
  slowdown: number,
  progress: (line: string) => void,
): Promise<Record<Variant, Measured[]>> {
  const measured = Object.fromEntries(
    variants.map((variant) => [variant, [] as Measured[]]),
  ) as Record<Variant, Measured[]>;
  for (let round = 0; round <= rounds; round++) {
    progress(`pages on a processor ${slowdown} times slower: round ${round} of ${rounds}`);
    for (const variant of variants) {
      const one = await measurePage(browser, { url: pages.urlOf(variant), variant, slowdown });
      if (round > 0) measured[variant].push(one);
    }
  }
  return measured;
}

function tokenOf({ productId, productSecret, referrer }: DemoTenant): string {
  const iat = Math.floor(Date.now() / 1_000);
  const claims = { productId, productUserId: referrer.productUserId, iat };
  return jwt.sign(claims, productSecret, { algorithm: 'HS512' });
}

type Runs = Record<Variant, Measured[]>;

async function reportOf({ phone, desktop }: { phone: Runs; desktop: Runs }) {
  const worst = (runs: Runs) =>
    Math.max(
      ...all(runs).flatMap(({ load, panel }) => [load.longestTaskMs, panel?.longestTaskMs ?? 0]),
    );
  const longTasks = (runs: Runs) =>
    all(runs).reduce((sum, { load, panel }) => sum + load.longTasks + (panel?.longTasks ?? 0), 0);
  const share = (runs: Runs) => mid(runs.both, 'mainThreadMs') / mid(runs.nothing, 'mainThreadMs');
  return {
    name: 'widget: what the browser scripts cost the page that embeds them',
    figures: {
      phoneAttributionScriptMs: mid(phone.attribution, 'scriptMs'),
      phoneWidgetScriptMs: mid(phone.widget, 'scriptMs'),
      phoneLongestTaskMs: worst(phone),
      phoneLongTasks: longTasks(phone),
      desktopLongestTaskMs: worst(desktop),
      desktopLongTasks: longTasks(desktop),
    },
    ratios: {
      'main thread with both scripts / without, phone': share(phone),
      'main thread with both scripts / without, desktop': share(desktop),
      'first paint with both scripts / without, phone':
        mid(phone.both, 'firstPaintMs') / mid(phone.nothing, 'firstPaintMs'),
    },
    tables: [tableOf('phone (4 x slower)', phone), tableOf('desktop', desktop), await sizes()],
    notes: [
      `medians of ${rounds} loads with an empty cache each; the longest task of all of them`,
      'script: compiling and running our files and their callbacks; long tasks: above 50 ms',
    ],
  };
}

function tableOf(title: string, runs: Runs): (string | number)[][] {
  const row = (name: string, cells: readonly number[]) => [name, ...cells.map((n) => n.toFixed(1))];
  const panels = [...runs.widget, ...runs.both].flatMap(({ panel }) => panel ?? []);
  return [
    [title, 'script ms', 'longest task ms', 'main thread ms', 'first paint ms', 'KB over the wire'],
    ...variants.map((variant) =>
      row(variant, [
        mid(runs[variant], 'scriptMs'),
        Math.max(...runs[variant].map(({ load }) => load.longestTaskMs)),
        mid(runs[variant], 'mainThreadMs'),
        mid(runs[variant], 'firstPaintMs'),
        mid(runs[variant], 'assetBytes') / 1_024,
      ]),
    ),
    [
      ...row('opening the panel', [
        median(panels.map((panel) => panel.scriptMs)),
        Math.max(...panels.map((panel) => panel.longestTaskMs)),
        median(panels.map((panel) => panel.openMs)),
      ]),
      '',
      (median(panels.map((panel) => panel.assetBytes)) / 1_024).toFixed(1),
    ],
  ];
}

function mid(runs: readonly Measured[], key: keyof PageLoad): number {
  return median(runs.map(({ load }) => load[key] ?? NaN));
}

function all(runs: Runs): Measured[] {
  return Object.values(runs).flat();
}

async function sizes(): Promise<(string | number)[][]> {
  const files = (await readdir(dist, { recursive: true })).filter((name) => name.endsWith('.js'));
  const rows = await Promise.all(
    files.toSorted().map(async (name) => {
      const bytes = await readFile(join(dist, name));
      const [zipped, packed] = await Promise.all([
        promisify(gzip)(bytes, { level: 9 }),
        promisify(brotliCompress)(bytes),
      ]);
      return [name, bytes.length, zipped.length, packed.length];
    }),
  );
  return [['file', 'bytes', 'gzip', 'brotli'], ...rows];
}

const dist = fileURLToPath(new URL('../../services/widget/dist/', import.meta.url));
