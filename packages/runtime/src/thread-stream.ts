import { on } from 'node:events';
import { setPriority } from 'node:os';
import { parentPort, Worker, workerData } from 'node:worker_threads';

/**
 * Bytes made by a thread of its own, so that work on many rows takes no time from the event loop
 * that live requests and batches share; the thread has a low priority as well. `module` calls
 * {@link serveThreadStream} with what gives its chunks.
 *
 * The first chunk is made at once, the second only when it is asked for: between the two the caller
 * knows that the thread stands ready. From then on a few chunks are made ahead. Returning early
 * ends the thread and whatever connections it has.
 *
 * @throws what the thread threw, and when `signal` is aborted.
 */
export async function* openThreadStream(
  module: URL,
  data: unknown,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const worker = new Worker(module, { workerData: data });
  const until = { close: ['exit'], ...(signal && { signal }) };
  try {
    let room = chunksAhead;
    for await (const [chunk] of on(worker, 'message', until)) {
      if (chunk === null) return;
      yield chunk as Uint8Array;
      worker.postMessage(room);
      room = 1;
    }
    throw new Error('the thread ended before its stream did');
  } finally {
    await worker.terminate();
  }
}

const chunksAhead = 4;
const urgentChunks = 2;
const lowPriority = 10;

/** Called by the module of a thread; `make` gets what the other side gave as `data`. */
export async function serveThreadStream<T>(
  make: (data: T) => AsyncIterable<string>,
): Promise<void> {
  const port = parentPort;
  if (!port) throw new Error('this module is for a thread');
  let room = 1;
  let made = 0;
  let wake: () => void = () => undefined;
  port.on('message', (more: number) => {
    room += more;
    wake();
  });
  for await (const text of make(workerData as T)) {
    const bytes = new TextEncoder().encode(text);
    port.postMessage(bytes, [bytes.buffer]);
    // On Linux of this thread alone.
    if ((made += 1) === urgentChunks) setPriority(lowPriority);
    room -= 1;
    while (room <= 0) await new Promise<void>((resolve) => (wake = resolve));
  }
  port.postMessage(null);
  port.close();
}
