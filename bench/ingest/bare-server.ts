import { createServer } from 'node:http';
import { keepYoungObjectsYoung } from '@tributary/runtime/young-objects';

/**
 * The floor of any service on node:http: each body is read and answered with 202, and nothing else
 * is done. `node bare-server.ts PORT`.
 */
const answer = Buffer.from(
  '{"eventId":"01a206c1-00cf-73cc-8c4b-71d02376d90e","receivedAt":"2026-01-31T12:00:00.000Z"}',
);
const headers = { 'Content-Type': 'application/json', 'Content-Length': answer.length };

keepYoungObjectsYoung();
const server = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    res.writeHead(req.url?.startsWith('/readyz') ? 200 : 202, headers);
    res.end(answer);
  });
});
server.listen(Number(process.argv[2]), '127.0.0.1');
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
