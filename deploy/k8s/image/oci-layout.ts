import { createHash } from 'node:crypto';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Layer } from './layer.ts';

/** What a container of the image runs by itself, see the image specification's `config`. */
export type ImageConfig = {
  Env?: string[];
  Entrypoint?: string[];
  Cmd?: string[];
  WorkingDir?: string;
  User?: string;
  StopSignal?: string;
  Labels?: Record<string, string>;
};

export type Image = { name: string; config: ImageConfig; layers: readonly Layer[] };

type Blob = { digest: string; text: string };

/** The JSON documents of an image by the OCI image specification 1.0, each by its digest. */
export function describeImage({ name, config, layers }: Image) {
  const configuration = blobOf({
    architecture: 'amd64',
    os: 'linux',
    config,
    rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => `sha256:${digest}`) },
    history: layers.map(() => ({})),
  });
  const manifest = blobOf({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: descriptorOf('application/vnd.oci.image.config.v1+json', configuration),
    layers: layers.map(({ digest, bytes }) => ({
      mediaType: 'application/vnd.oci.image.layer.v1.tar',
      digest: `sha256:${digest}`,
      size: bytes,
    })),
  });
  const index = {
    schemaVersion: 2,
    manifests: [
      {
        ...descriptorOf('application/vnd.oci.image.manifest.v1+json', manifest),
        annotations: {
          'io.containerd.image.name': name,
          'org.opencontainers.image.ref.name': name,
        },
      },
    ],
  };
  return { blobs: [configuration, manifest], index: JSON.stringify(index) };
}

function blobOf(document: object): Blob {
  const text = JSON.stringify(document);
  return { digest: createHash('sha256').update(text).digest('hex'), text };
}

function descriptorOf(mediaType: string, { digest, text }: Blob) {
  return { mediaType, digest: `sha256:${digest}`, size: Buffer.byteLength(text) };
}

/** Writes an image as a directory by the OCI image layout; layers are links to where they are. */
export async function writeLayout(dir: string, image: Image): Promise<void> {
  const blobs = join(dir, 'blobs', 'sha256');
  await rm(dir, { recursive: true, force: true });
  await mkdir(blobs, { recursive: true });
  const documents = describeImage(image);
  for (const { digest, text } of documents.blobs) await writeFile(join(blobs, digest), text);
  for (const { digest, file } of image.layers) await symlink(file, join(blobs, digest));
  await writeFile(join(dir, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  await writeFile(join(dir, 'index.json'), documents.index);
}
