import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { kubernetesCache as cache } from '../helm/kubernetes-cache.ts';

/** What is built or fetched once per user: binaries, Debian's files, layers of images. */
export const places = {
  cache,
  /** Programs that are built with Go. */
  bin: join(cache, 'bin'),
  /** Files of Debian packages for the node, as if `/` were there. */
  nodeRoot: join(cache, 'node-root'),
  /** The same for the image of the services. */
  imageRoot: join(cache, 'image-root'),
  /** And of the edge, which is nginx. */
  edgeRoot: join(cache, 'edge-root'),
  /** KEDA's definitions of its resources. */
  kedaCrds: join(cache, 'keda-crds'),
  /** Layers that seldom change. */
  layers: join(cache, 'layers'),
  log: join(cache, 'log'),
} as const;

/** Sources of the small Go modules that are built here. */
export const goSources = fileURLToPath(new URL('build', import.meta.url));
