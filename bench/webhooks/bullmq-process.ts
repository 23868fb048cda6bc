import { Worker } from 'bullmq';
import { type ClientSettings, createClient } from './client.ts';
import { serveQuestions } from './serve-questions.ts';

export type BullmqSettings = ClientSettings & {
  connection: { host: string; port: number };
  queue: string;
  concurrency: number;
};

serveQuestions<BullmqSettings>(async ({ connection, queue, concurrency, ...settings }) => {
  const send = createClient(settings);
  const worker = new Worker<{ endpoint: number; body: string }>(
    queue,
    async (job) => {
      const { statusCode, durationMs } = await send(job.data, job.attemptsMade + 1);
      return { statusCode, durationMs };
    },
    {
      connection: { ...connection, maxRetriesPerRequest: null },
      concurrency,
      autorun: false,
      // As its guide for production has it: some of what is finished is kept to be looked at.
      removeOnComplete: { count: 1_000 },
      removeOnFail: { count: 5_000 },
    },
  );
  worker.on('error', (error) => console.error(error));
  await worker.waitUntilReady();
  return { go: () => void worker.run() };
});
