import type { Mutant } from './mutant.ts';

const acceptEvent = 'services/ingest-api/src/commands/accept-event.ts';

/** Between a request and its record on the log. */
export const acceptance: readonly Mutant[] = [
  {
    name: 'ack-before-append',
    breaks: 'a request without a key is answered 202 before the brokers have its event',
    ...{ row: 'kill-kafka', promises: [1], file: acceptEvent },
    from: '    await append(submission, receipt);',
    to: '    void append(submission, receipt).catch(() => undefined);',
  },
  {
    name: 'legacy-refusal-is-success',
    breaks: 'the older endpoint answers 200 for an event that the brokers have not taken',
    ...{ row: 'kill-kafka', promises: [1] },
    file: 'services/legacy-events/src/log/store-event.ts',
    from: "if (error instanceof AppendRefused) return { outcome: 'refused', cause: error };",
    to: "if (error instanceof AppendRefused) return { outcome: 'stored' };",
  },
  {
    name: 'key-not-reserved',
    breaks: 'a request whose key is taken makes an event of its own',
    ...{ row: 'flush-redis', promises: [3], file: acceptEvent },
    from: "const held = reserved.outcome === 'reserved' ? ours : reserved.by;",
    to: 'const held = ours;',
  },
  {
    name: 'pending-key-is-free',
    breaks: 'a repeat gets a new event id while nobody knows what became of the first try',
    ...{ row: 'kill-kafka', promises: [3], file: acceptEvent },
    from: "reserved.outcome === 'reserved' ? ours : reserved.by;",
    to: "reserved.outcome === 'reserved' || reserved.by.state === 'pending' ? ours : reserved.by;",
  },
  {
    name: 'other-content-under-a-key',
    breaks: 'a request with the key of another content is answered as that one was',
    ...{ row: 'flush-redis', promises: [1, 3], file: acceptEvent },
    from: "    if (held.fingerprint !== ours.fingerprint) return { outcome: 'key-conflict' };\n",
    to: '',
  },
  {
    name: 'refused-and-stored',
    breaks: 'what is refused because its key is taken leaves an event all the same',
    ...{ row: 'flush-redis', promises: [2], file: acceptEvent },
    from: "    if (held.fingerprint !== ours.fingerprint) return { outcome: 'key-conflict' };\n",
    to: `    if (held.fingerprint !== ours.fingerprint) {
      await appender.append(entriesOf(submission, receipt));
      return { outcome: 'key-conflict' };
    }
`,
  },
  {
    name: 'answer-made-anew',
    breaks: 'a repeat is answered with the time of the repeat',
    ...{ row: 'flush-redis', promises: [3], file: acceptEvent },
    from: 'const accepted = toAccepted(held);',
    to: 'const accepted = toAccepted({ ...held, receivedAt: receipt.receivedAt });',
  },
  {
    name: 'record-made-anew',
    breaks: 'the record has another time of receipt than the answer',
    ...{ row: 'flush-redis', promises: [1], file: acceptEvent },
    from: 'append(submission, held, idempotency);',
    to: "append(submission, { ...held, receivedAt: '2026-01-01T00:00:00.000Z' }, idempotency);",
  },
  {
    name: 'keys-shared-by-tenants',
    breaks: 'a key that one customer has used is taken for every other customer',
    ...{ row: 'flush-redis', promises: [3] },
    file: 'services/ingest-api/src/redis/keys.ts',
    from: '`${scope.tenantId}:${scope.eventType}:${scope.idempotencyKey}`',
    to: '`${scope.eventType}:${scope.idempotencyKey}`',
  },
  {
    name: 'emptied-redis-trusted',
    breaks: 'keys are reserved in a Redis that does not have those of the last 72 hours',
    ...{ row: 'flush-redis', promises: [3] },
    file: 'services/ingest-api/src/redis/scripts.ts',
    from: 'if not complete or string.sub(complete, 1, #ARGV[1]) ~= ARGV[1] then return false end',
    to: '',
  },
  {
    name: 'keys-not-restored',
    breaks: 'the keys of accepted events are not read back from the log',
    ...{ row: 'flush-redis', promises: [3] },
    file: 'services/ingest-api/src/redis/restore-reservations.ts',
    from: '      batch.push(found);\n',
    to: '',
  },
  {
    name: 'amount-rounded',
    breaks: 'an amount with a fraction is rounded, where it must be refused',
    ...{ row: 'flush-redis', promises: [1, 2] },
    file: 'packages/contracts/src/strict-json.ts',
    from: 'if (!whole) return Number.NaN;',
    to: 'if (!whole) return Math.round(Number(text.slice(start, at)));',
  },
];
