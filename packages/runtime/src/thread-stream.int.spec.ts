import { getPriority } from 'node:os';
import { expect } from 'chai';
import { openThreadStream } from './thread-stream.ts';

const module = new URL('./testing/counting-thread.ts', import.meta.url);

async function texts(stream: AsyncIterable<Uint8Array>): Promise<string[]> {
  const found: string[] = [];
  for await (const chunk of stream) found.push(new TextDecoder().decode(chunk));
  return found;
}

describe('thread stream', () => {
  it('gives what the thread makes, in order, to its end', async () => {
    const found = await texts(openThreadStream(module, { chunks: 50 }));
    expect(found.slice(2, -1)).to.deep.equal(Array.from({ length: 50 }, (_, i) => `chunk ${i} é`));
  });

  it('lowers the priority of the thread alone, once its first chunks are there', async () => {
    const [, before, after] = await texts(openThreadStream(module, { chunks: 0 }));
    expect(before).to.equal('0');
    if (process.platform === 'linux') expect(after).to.equal('10');
    expect(getPriority()).to.equal(0);
  });

  it('makes one chunk, and more only when they are asked for', async () => {
    const made = new Int32Array(new SharedArrayBuffer(4));
    const stream = openThreadStream(module, { chunks: 1_000, made });
    await stream.next();
    expect(Atomics.wait(made, 0, 0, 100)).to.equal('timed-out');
    await stream.next();
    await stream.next();
    expect(Atomics.load(made, 0)).to.be.below(20);
    await stream.return();
  });

  it('throws what the thread threw, and ends when it is given up', async () => {
    const failing = await texts(openThreadStream(module, { chunks: 3, fails: true })).catch(String);
    expect(failing).to.include('the thread broke');
    const left = new AbortController();
    const stream = openThreadStream(module, { chunks: 1_000 }, left.signal);
    await stream.next();
    left.abort();
    expect(await texts(stream).catch((error: Error) => error.name)).to.equal('AbortError');
  });
});
