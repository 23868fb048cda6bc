import { execFile } from 'node:child_process';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '../../local/state-dir.ts';
import { places } from '../places.ts';
import { appLayers } from './app-layers.ts';
import { baseLayer, edgeLayer } from './base-layer.ts';
import { packLayer } from './layer.ts';
import { type Image, type ImageConfig, writeLayout } from './oci-layout.ts';

/** The image of the services, as the node knows it. */
export const appImage = { repository: 'docker.io/local/tributary', tag: 'checkout' };

/** nginx, as the chart's edge runs it. */
export const edgeImage = 'docker.io/local/edge:1';

/** The container that each pod begins with. */
export const pauseImage = 'docker.io/local/pause:1';

/**
 * Makes the images of a cluster as directories of layers, without a container engine.
 *
 * @returns their directories, and the size of the services' image in bytes, uncompressed.
 */
export async function makeImages(workDir: string): Promise<{ layouts: string[]; bytes: number }> {
  const app: Image = {
    name: `${appImage.repository}:${appImage.tag}`,
    config: await appConfig(),
    layers: [await baseLayer(), ...(await appLayers(workDir))],
  };
  const images = { app, edge: await edge(), pause: await pause(workDir) };
  const layouts: string[] = [];
  for (const [name, image] of Object.entries(images)) {
    const dir = join(workDir, `image-${name}`);
    await writeLayout(dir, image);
    layouts.push(dir);
  }
  return { layouts, bytes: app.layers.reduce((sum, { bytes }) => sum + bytes, 0) };
}

async function appConfig(): Promise<ImageConfig> {
  const { stdout } = await promisify(execFile)('git', ['rev-parse', 'HEAD'], { cwd: repository });
  return {
    Env: ['PATH=/usr/local/bin:/usr/bin:/bin'],
    WorkingDir: '/app',
    User: '1000:1000',
    Cmd: ['node', '--version'],
    Labels: {
      'org.opencontainers.image.title': 'tributary',
      'org.opencontainers.image.description':
        'Self-hosted referral attribution: all services and jobs',
      'org.opencontainers.image.version': appImage.tag,
      'org.opencontainers.image.revision': stdout.trim(),
    },
  };
}

async function edge(): Promise<Image> {
  const config: ImageConfig = {
    Env: ['PATH=/usr/sbin:/usr/bin:/bin'],
    User: '101:101',
    // Requests under way are finished.
    StopSignal: 'SIGQUIT',
    Cmd: ['nginx', '-v'],
  };
  return { name: edgeImage, config, layers: [await edgeLayer()] };
}

async function pause(workDir: string): Promise<Image> {
  const root = join(workDir, 'pause');
  await mkdir(root, { recursive: true });
  await copyFile(join(places.bin, 'pause'), join(root, 'pause'));
  const file = join(workDir, 'pause.tar');
  const layer = await packLayer(file, { root, paths: ['pause'], rename: 's,^,,' });
  return { name: pauseImage, config: { Entrypoint: ['/pause'] }, layers: [layer] };
}
