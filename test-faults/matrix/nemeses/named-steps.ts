import type { Step } from '../breakpoint.ts';

const acceptEvent = 'services/ingest-api/src/commands/accept-event.ts';
const ourEvent = '`event ${ours.eventId} under the key ${idempotencyKey}`';

/** Between a request with a key and its answer. */
export const ingestSteps: readonly Step[] = [
  {
    ...{ name: 'before the reserve', file: acceptEvent },
    ...{ before: 'const reserved = await store.reserve(scope, ours);', inHand: ourEvent },
  },
  {
    ...{ name: 'after the reserve', file: acceptEvent, inHand: ourEvent },
    before: "const held = reserved.outcome === 'reserved' ? ours : reserved.by;",
    when: "reserved.outcome === 'reserved'",
  },
  {
    ...{ name: 'after the ack', file: acceptEvent },
    before: 'store.complete(scope, held)',
    inHand: '`event ${held.eventId} under the key ${scope.idempotencyKey}`',
  },
  {
    ...{ name: 'before the 202', file: 'services/ingest-api/src/http/event-route.ts' },
    before: 'return sendJson(res, 202, acceptance.accepted);',
    when: "acceptance.idempotency === 'first'",
    inHand: '`event ${acceptance.accepted.eventId}, accepted`',
  },
];

const storeEvent = 'services/legacy-events/src/log/store-event.ts';

/** The same by the older endpoint, which has no keys. */
export const legacySteps: readonly Step[] = [
  {
    ...{ name: 'before the append', file: storeEvent },
    ...{ before: 'await appender.append(entries);', inHand: '`event ${event.eventId}`' },
  },
  {
    ...{ name: 'after the ack', file: storeEvent },
    ...{ before: "return { outcome: 'stored' };", inHand: '`event ${event.eventId}`' },
  },
  {
    ...{ name: 'before the 200', file: 'services/legacy-events/src/http/events-route.ts' },
    before: 'sendJson(res, 200, { success: true });',
    inHand: '`event ${eventId}, stored`',
  },
];

const postgres = 'packages/runtime/src/postgres.ts';
const relay = 'packages/event-log/src/relay.ts';
const leftRows = 'packages/event-log/src/left-rows.ts';
/** Among what is done after the commit of a transaction that has written to an outbox. */
const hasOutboxRow = "afterwards.some((act) => String(act).includes('sendCommitted'))";
const ofOutbox = '`${entries.length} records of row ${row.id} of ${table}`';
const ofLeft = '`${rows.length} rows that were left in ${table}`';

/** Around the commit of a transaction that has written to an outbox. */
const commitSteps: readonly Step[] = [
  {
    ...{ name: 'in the transaction', file: postgres, when: hasOutboxRow },
    before: "const { command } = await tx.query('commit');",
    inHand: '`${afterwards.length} things to do after the commit, one of them to send a row`',
  },
  {
    ...{ name: 'after the commit', file: postgres, when: hasOutboxRow },
    before: "ended = 'committed';",
    inHand: '`${afterwards.length} things to do after the commit, one of them to send a row`',
  },
];

/** From an outbox to the log, while the process remembers what it has committed. */
function relaySteps(table: string): readonly Step[] {
  const when = `table === '${table}'`;
  return [
    { name: `before the relay of ${table}`, file: relay, before: 'const sent = appender', when },
    { name: `after the ack of ${table}`, file: relay, before: 'acked.push(row);', when },
  ].map((step) => ({ ...step, inHand: ofOutbox }));
}

/** The rows that killed processes have left, which the next one reads from the table. */
export const leftSteps: readonly Step[] = [
  {
    ...{ name: 'before what was left is sent', file: leftRows, when: 'rows.length > 0' },
    before: 'const refused = await Promise.all(rows.map(({ entries }) => appendEach(entries)));',
    inHand: ofLeft,
  },
  {
    ...{ name: 'after what was left is sent', file: leftRows, when: 'sent.length > 0' },
    ...{ before: 'await removeRows(tx, table, sent);', inHand: ofLeft },
  },
];

export const outboxSteps: readonly Step[] = [...commitSteps, ...relaySteps('outbox'), ...leftSteps];

export const rewardsSteps: readonly Step[] = [
  ...commitSteps,
  ...relaySteps('outbox'),
  ...relaySteps('issuance_outbox'),
  ...leftSteps,
];

const worker = 'services/webhook-dispatcher/src/workers/delivery-worker.ts';
const resultWriter = 'services/webhook-dispatcher/src/workers/result-writer.ts';
const ofClaim = '`webhook ${claim.webhookEventId}, attempt ${claim.attempt}`';
const ofResult =
  '`webhook ${result.fact.webhookEventId}, attempt ${result.fact.attempt}: ${result.fact.outcome}`';

/** From a claim to what came of it: on the log first, then in the table. */
export const dispatcherSteps: readonly Step[] = [
  {
    ...{ name: 'in the transaction of the claim', file: worker, when: 'claims.length > 0' },
    before: "if (observe && claims.length > 0) await observe('claimed');",
    inHand: '`${claims.length} webhooks claimed`',
  },
  {
    ...{ name: 'before the send', file: worker, inHand: ofClaim },
    before:
      'exchange = await send({ body, attempt, now: startedAt, traceparent }, claim.endpoint);',
  },
  {
    ...{ name: "after the receiver's 2xx", file: worker, before: 'endedExchanges.add(claim);' },
    when: "exchange.end === 'answered' && Math.floor(exchange.statusCode / 100) === 2",
    inHand: '`webhook ${claim.webhookEventId}, answered ${exchange.statusCode}`',
  },
  {
    ...{ name: 'before the result is told', file: resultWriter },
    ...{ before: 'await appender.append([entry]);', when: "fact.outcome === 'delivered'" },
    inHand: '`webhook ${fact.webhookEventId}, attempt ${fact.attempt}: ${fact.outcome}`',
  },
  {
    ...{ name: 'told, before it is written', file: resultWriter, inHand: ofResult },
    before: 'queue.push({ result, settle });',
  },
  {
    ...{ name: 'in the transaction of the results', file: resultWriter, before: 'return ours;' },
    ...{ when: 'ours.length > 0', inHand: '`${ours.length} results`' },
  },
  {
    ...{ name: 'after the commit of the results', file: resultWriter },
    before: 'for (const { fact } of recorded) writtenFacts.add(fact);',
    ...{ when: 'recorded.length > 0', inHand: '`${recorded.length} results`' },
  },
];
