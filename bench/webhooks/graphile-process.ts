import { Logger, run } from 'graphile-worker';
import { type ClientSettings, createClient } from './client.ts';
import { serveQuestions } from './serve-questions.ts';

export type GraphileSettings = ClientSettings & {
  connectionString: string;
  concurrency: number;
  localQueue: number;
  /** One row for each attempt, with what the receiver answered. */
  writesAttempts: boolean;
};

type Job = { endpoint: number; body: string; webhookEventId: string };

serveQuestions<GraphileSettings>(async (settings) => {
  const { connectionString, concurrency, localQueue, writesAttempts, ...client } = settings;
  const send = createClient(client);
  return {
    async go() {
      await run({
        preset: {
          worker: {
            connectionString,
            concurrentJobs: concurrency,
            maxPoolSize: writesAttempts ? attemptConnections : 10,
            localQueue: { size: localQueue },
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0,
            logger: new Logger(() => (level, message) => {
              if (level === 'error') console.error(message);
            }),
          },
        },
        noHandleSignals: true,
        taskList: {
          async deliver(payload, { job, query }) {
            const { webhookEventId, ...request } = payload as Job;
            const attempt = await send(request, job.attempts);
            if (!writesAttempts) return;
            await query({
              name: 'insert_attempt',
              text: `insert into attempt
                (webhook_event_id, attempt, round, step, outcome, result, status_code, started_at,
                 duration_ms, answer_headers, answer_body, answer_cut)
                values ($1, $2, 0, $2, 'delivered', 'status', $3, $4, $5, $6, $7, false)`,
              values: [
                ...[webhookEventId, job.attempts, attempt.statusCode, attempt.startedAt],
                ...[attempt.durationMs, JSON.stringify(attempt.headers), attempt.body],
              ],
            } as never);
          },
        },
      });
    },
  };
});

const attemptConnections = 40;
