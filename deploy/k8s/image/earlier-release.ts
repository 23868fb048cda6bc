import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { clusterValues } from '../chart/values.ts';
import type { ClusterServers } from '../servers.ts';

/** A release that runs before that of this checkout, as the code of its own checkout makes it. */
export type EarlierRelease = {
  chartDir: string;
  /** Directory of the services' image. */
  layout: string;
  /** The name with which it is imported, which this release's image has, too. */
  imported: string;
  /** The name by which its pods know it. */
  image: string;
  values(servers: ClusterServers): object;
};

const tag = 'earlier';

/**
 * What its image is made of: dependencies, pages and packed clients, as its own set-up makes them.
 * Not what a cluster is made of, which is this checkout's.
 */
export async function buildCheckout(checkout: string, signal: AbortSignal): Promise<void> {
  const args = ['--input-type=module', '--eval', prepare];
  const options = { cwd: checkout, signal, maxBuffer: 64 * 1024 * 1024 };
  await promisify(execFile)(process.execPath, args, options);
}

const prepare = `
  import { buildBrowserScripts } from './deploy/local/setup/browser-scripts.mjs';
  import { setUp } from './deploy/local/setup/set-up.mjs';
  const { node, env } = await setUp({ servers: false, tools: [] });
  await buildBrowserScripts(node, env);
`;

/** @throws when that checkout has no chart for this cluster: it is too old. */
export async function makeEarlierRelease(
  checkout: string,
  workDir: string,
): Promise<EarlierRelease> {
  await mkdir(workDir);
  const load = <T>(file: string) =>
    import(pathToFileURL(join(checkout, 'deploy/k8s', file)).href) as Promise<T>;
  const images = await load<typeof import('./make-images.ts')>('image/make-images.ts');
  const chart = await load<typeof import('../chart/values.ts')>('chart/values.ts');
  const { repository } = images.appImage;
  const { layouts } = await images.makeImages(workDir);
  return {
    chartDir: join(checkout, 'deploy/helm/tributary'),
    layout: layouts[0]!,
    imported: `${repository}:${images.appImage.tag}`,
    image: `${repository}:${tag}`,
    values(servers) {
      const values = chart.clusterValues(servers, { scaling: false });
      // Its own may be of a time when nothing enforced them here.
      const { networkPolicy } = clusterValues(servers, { scaling: false });
      return { ...values, networkPolicy, image: { ...values.image, tag } };
    },
  };
}
