import { getPriority } from 'node:os';
import { setImmediate as turn } from 'node:timers/promises';
import { serveThreadStream } from '../thread-stream.ts';

// A thread for the spec of thread-stream.ts: as many chunks as it is asked for, its priority before
// and behind.

type Asked = { chunks: number; fails?: boolean; made?: Int32Array };

await serveThreadStream<Asked>(async function* ({ chunks, fails, made }) {
  yield 'ready';
  yield `${getPriority()}`;
  for (let i = 0; i < chunks; i += 1) {
    await turn();
    if (made) Atomics.add(made, 0, 1);
    yield `chunk ${i} é`;
  }
  yield `${getPriority()}`;
  if (fails) throw new Error('the thread broke');
});
