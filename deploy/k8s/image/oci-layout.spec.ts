import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { describeImage } from './oci-layout.ts';

describe('an image as the OCI image specification has it', () => {
  const layers = [
    { file: 'base.tar', digest: 'a'.repeat(64), bytes: 10 },
    { file: 'app.tar', digest: 'b'.repeat(64), bytes: 20 },
  ];
  const { blobs, index } = describeImage({ name: 'x:1', config: { User: '1000' }, layers });
  const read = (digest: string) =>
    JSON.parse(blobs.find((blob) => `sha256:${blob.digest}` === digest)!.text) as Record<
      string,
      never
    >;
  type Descriptor = { digest: string; size: number };
  const [entry] = (JSON.parse(index) as { manifests: Descriptor[] }).manifests;
  const manifest = read(entry!.digest) as unknown as { config: Descriptor; layers: Descriptor[] };

  it('names each document by its content', () => {
    for (const { digest, text } of blobs) {
      expect(createHash('sha256').update(text).digest('hex')).to.equal(digest);
    }
  });

  it('leads from the index to the layers, in their order', () => {
    expect(manifest.layers.map(({ digest }) => digest)).to.deep.equal(
      layers.map(({ digest }) => `sha256:${digest}`),
    );
    expect(manifest.layers.map(({ size }) => size)).to.deep.equal([10, 20]);
  });

  it('lists uncompressed layers by the digests of their files', () => {
    const { rootfs, config } = read(manifest.config.digest) as unknown as {
      rootfs: { diff_ids: string[] };
      config: object;
    };
    expect(rootfs.diff_ids).to.deep.equal(manifest.layers.map(({ digest }) => digest));
    expect(config).to.deep.equal({ User: '1000' });
  });
});
