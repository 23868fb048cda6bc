import { type ClientSettings, createClient } from './client.ts';
import { makeDeliveries } from './deliveries.ts';
import { serveQuestions } from './serve-questions.ts';

export type BareSettings = ClientSettings & { concurrency: number };

/** A loop around the client: what is left when nothing is stored and nothing is claimed. */
serveQuestions<BareSettings>(async ({ concurrency, ...settings }) => {
  const send = createClient(settings);
  let jobs: { endpoint: number; body: string }[] = [];
  let ended = 0;

  return {
    load({ series, count }: { series: string; count: number }) {
      const deliveries = makeDeliveries(series, count, settings.endpoints.length);
      jobs = deliveries.map(({ endpoint, body }) => ({ endpoint, body }));
    },
    go() {
      const todo = jobs.values();
      for (let n = 0; n < concurrency; n++) void loop(todo);
    },
    isDone: () => ended === jobs.length,
  };

  async function loop(todo: Iterable<{ endpoint: number; body: string }>) {
    for (const job of todo) {
      await send(job, 1);
      ended += 1;
    }
  }
});
