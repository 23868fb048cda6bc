import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Place } from '../deploy/docs/openapi/testing/document.ts';

/** One request to an operation, and the status that it is made to meet. */
export type Probe = {
  status: number;
  method?: string;
  path?: string;
  anonymous?: true;
  headers?: Record<string, string>;
  /** Sent as JSON, a text and bytes as they are. */
  body?: unknown;
};

/** What a caller can do to meet each answer that the document promises, 500 and 503 excepted. */
export function probesOf(place: Place): Probe[] {
  const { path, method, operation } = place;
  const examples = Object.values(
    operation.requestBody?.content['application/json']?.examples ?? {},
  ).map(({ value }) => value);
  const everywhere: Probe[] = [
    { status: 405, method: method === 'get' ? 'DELETE' : 'PUT' },
    { status: 431, headers: { filler: 'x'.repeat(17_000) } },
  ];
  const withBody: Probe[] = [
    { status: 413, body: ' '.repeat(65_537) },
    { status: 400, body: '{' },
  ];
  const noToken: Probe[] = [{ status: 401, anonymous: true }];
  if (method === 'get') {
    return [...everywhere, ...noToken, { status: 200 }, { status: 404, path: `${path}-unknown` }];
  }
  if (path === '/token') {
    return [
      ...everywhere,
      ...withBody,
      { status: 401, body: { accessKeyId: 'ak-unknown', secretAccessKey: 'x' } },
      { status: 415, body: {}, headers: { 'content-type': 'text/plain' } },
      { status: 422, body: {} },
    ];
  }
  if (path === '/events') {
    const zipped = gzipSync(JSON.stringify(examples[0]));
    return [
      ...[...everywhere, ...withBody, ...noToken],
      ...examples.map((body) => ({ status: 200, body })),
      { status: 415, body: zipped, headers: { 'content-encoding': 'gzip' } },
    ];
  }
  return [...everywhere, ...withBody, ...noToken, ...eventProbes(path, examples)];
}

function eventProbes(path: string, examples: readonly object[]): Probe[] {
  const [example] = examples;
  const key = { 'idempotency-key': `probe-${randomUUID()}` };
  // Another run within 72 hours must not meet the keys that the examples name.
  const { idempotencyKey: _named, ...unkeyed } = example as { idempotencyKey?: string };
  return [
    ...examples.map((body) => ({ status: 202, body })),
    { status: 202, body: { ...unkeyed, occurredAt: '2999-01-01T00:00:00Z' } },
    { status: 202, body: unkeyed, headers: key },
    { status: 409, body: { ...unkeyed, ucc: 'another' }, headers: key },
    {
      status: 400,
      body: { ...unkeyed, idempotencyKey: 'one' },
      headers: { 'idempotency-key': 'two' },
    },
    { status: 404, path: `${path}s`, body: unkeyed },
    { status: 415, body: unkeyed, headers: { 'content-type': 'text/plain' } },
    { status: 422, body: {} },
  ];
}
