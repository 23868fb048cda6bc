import { createServer } from 'node:http';
import { topicName } from '@tributary/contracts/topics';
import { createAppender } from '@tributary/event-log/appender';
import { createKafka } from '@tributary/event-log/kafka';
import { loadConfig } from '@tributary/runtime/config';
import { createLogger } from '@tributary/runtime/logger';
import { keepYoungObjectsYoung } from '@tributary/runtime/young-objects';
import { IngestApiConfig, ingestSettings } from '../../../services/ingest-api/src/config.ts';
import { createBareAppender } from './bare-appender.ts';

/**
 * The floor of ingest-api: each body is read, appended as it is and answered with 202, and nothing
 * is checked. `node floor-server.ts appender` appends as ingest-api does, `node floor-server.ts
 * own-encoder` writes the same bytes to the brokers with the least that the protocol needs.
 */
keepYoungObjectsYoung();
const [mode] = process.argv.slice(2);
const config = loadConfig(IngestApiConfig, process.env, 'ingest-api');
const settings = ingestSettings(config);
const logger = createLogger({ service: 'floor', level: 'error' });
const kafka = createKafka({ settings: settings.kafka, clientId: 'floor', logger });
const topic = topicName('events', settings.topics);
type Append = (key: string, value: Buffer, answer: (accepted: boolean) => void) => void;
const append: Append =
  mode === 'own-encoder'
    ? await createBareAppender(kafka, settings.kafka, topic)
    : await startOwnAppender();

const answer = Buffer.from(
  '{"eventId":"01a206c1-00cf-73cc-8c4b-71d02376d90e","receivedAt":"2026-01-31T12:00:00.000Z"}',
);
const headers = { 'Content-Type': 'application/json', 'Content-Length': answer.length };
let count = 0;

const server = createServer((req, res) => {
  if (req.url?.startsWith('/readyz')) return void res.end();
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    count += 1;
    const key = `bench|user-${count % 20_000}`;
    append(key, chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks), (accepted) => {
      res.writeHead(accepted ? 202 : 503, headers);
      res.end(answer);
    });
  });
});
server.listen(settings.port, '127.0.0.1');
process.once('SIGTERM', () => process.exit());

async function startOwnAppender(): Promise<Append> {
  const appender = createAppender({ kafka, logger });
  await appender.start();
  return (key, value, answered) => {
    appender.append([{ topic, key, value: value.toString() }]).then(
      () => answered(true),
      () => answered(false),
    );
  };
}
