import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { createZstdCompress } from 'node:zlib';
import { expect } from 'chai';
import { zstd } from './zstd-codec.ts';

describe('the zstd codec', () => {
  const text = (bytes: number) => Buffer.from('{"schemaVersion":1}'.repeat(bytes / 19 + 1));

  for (const bytes of [0, 1, 255, 256, 300, 65_791, 65_792, 800_000]) {
    it(`gives back ${bytes} bytes as they were`, () => {
      for (const content of [randomBytes(bytes), text(bytes).subarray(0, bytes)]) {
        const frame = zstd.compress({ buffer: content });
        expect(zstd.decompress(frame).equals(content)).to.equal(true);
      }
    });
  }

  it('opens a frame that does not say how much it holds', async () => {
    const content = text(100_000);
    const compressing = createZstdCompress();
    compressing.write(content.subarray(0, 60_000));
    compressing.end(content.subarray(60_000));
    expect(zstd.decompress(await buffer(compressing)).equals(content)).to.equal(true);
  });

  it('refuses what was damaged, and what is not whole', () => {
    const frame = zstd.compress({ buffer: Buffer.concat([randomBytes(2_000), text(2_000)]) });
    for (const at of [0, 4, 5, 20, 1_000, frame.length - 1]) {
      const damaged = Buffer.from(frame);
      damaged[at]! ^= 0x11;
      expect(() => zstd.decompress(damaged), `byte ${at}`).to.throw();
      expect(() => zstd.decompress(frame.subarray(0, at)), `${at} bytes`).to.throw();
    }
  });
});
