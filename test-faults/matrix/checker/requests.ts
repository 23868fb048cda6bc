import type { EventRecord } from '@tributary/contracts/event-record';
import { schemaOfGeneration } from '@tributary/generations/generation';
import type { Evidence, SentRequest } from '../evidence.ts';
import { generationsOf } from './live.ts';
import { lostEvents } from './lost.ts';
import {
  distinctEvents,
  isOfBackend,
  loggedEvents,
  nameOf,
  type Report,
  reportOf,
  reportOfRecord,
} from './reported-events.ts';
import { countBy, createVerdict, type Verdict } from './verdict.ts';

type Accepted = { eventId?: string; receivedAt?: string };
type Reported = { request: SentRequest; report: Report; name: string };

/**
 * To the byte; of a signup that a browser reported without its times, which are of the boot that
 * wrote it.
 */
function contentOf(event: EventRecord, value: string): string {
  if (event.source !== 'widget') return value;
  const { receivedAt: _received, occurredAt: _at, occurredAtSeconds: _seconds, ...same } = event;
  return JSON.stringify(same);
}

/** Requests that report an event, with what they say. */
function reported({ requests }: Evidence): Reported[] {
  return requests.flatMap((request) => {
    const report = reportOf(request);
    return report === undefined ? [] : [{ request, report, name: nameOf(report) }];
  });
}

/**
 * Every event that was accepted is on the log with the content that was sent, and once in the
 * tables of those who read the log. Copies of a record on the log must be equal to the byte.
 */
export function acceptedIsKept(evidence: Evidence): Verdict {
  const { verdict, judge, breaks } = createVerdict();
  const logged = new Map<string, { value: string; name: string; receivedAt: string }>();
  for (const { record, event } of loggedEvents(evidence)) {
    const known = logged.get(event.eventId);
    const value = contentOf(event, record.value ?? '');
    if (known !== undefined && known.value !== value) {
      breaks(`event ${event.eventId} is on the log with two contents`);
    }
    const name = nameOf(reportOfRecord(event));
    logged.set(event.eventId, { value, name, receivedAt: event.receivedAt });
  }
  const lost = lostEvents(evidence);
  const lostIds = new Set(lost.map(({ eventId }) => eventId));
  const names = new Set([...logged.values()].map(({ name }) => name));
  for (const event of lost) names.add(nameOf(reportOfRecord(event)));
  for (const { request, name } of reported(evidence)) {
    if (request.outcome !== 'ok') continue;
    const { eventId, receivedAt } = JSON.parse(request.answer ?? '{}') as Accepted;
    if (request.path === '/events') {
      const what = `${name}, answered ${request.status} at ${request.endedAt}`;
      judge(names.has(name) ? undefined : `${what}, is not on the log`);
      continue;
    }
    const what = `event ${eventId}, accepted at ${request.endedAt}`;
    const found = logged.get(eventId ?? '');
    if (lostIds.has(eventId ?? '')) judge(undefined);
    else if (found === undefined) judge(`${what}, is not on the log`);
    else if (found.name !== name) judge(`${what}, is on the log as ${found.name}, sent as ${name}`);
    else if (found.receivedAt !== receivedAt) judge(`${what}, has another receivedAt on the log`);
    else judge(undefined);
  }
  const { live } = generationsOf(evidence);
  for (const [first, name] of [
    ['attribution_g1', 'fact'],
    ['portal_read_r2', 'event'],
  ] as const) {
    const table = `${schemaOfGeneration(first, live)}.${name}`;
    for (const problem of notOnceIn(evidence, table, [...logged.keys()])) breaks(problem);
  }
  return verdict;
}

function notOnceIn({ tables }: Evidence, table: string, eventIds: readonly string[]): string[] {
  const counts = countBy(tables[table] ?? [], (row) => row['event_id'] ?? '');
  const onLog = new Set(eventIds);
  return [
    ...eventIds
      .filter((id) => counts.get(id) !== 1)
      .map((id) => `event ${id} is ${counts.get(id) ?? 0} times in ${table}`),
    ...[...counts.keys()]
      .filter((id) => !onLog.has(id))
      .map((id) => `event ${id} of ${table} is not on the log`),
  ];
}

/**
 * A refused request has left nothing. One whose answer never came, or was a 5xx, has left one event
 * at most: all tries of a key together one, tries without a key one each. And nothing is on the log
 * that nobody sent.
 */
export function unansweredIsOnceAtMost(evidence: Evidence): Verdict {
  const { verdict, judge, breaks } = createVerdict();
  const events = distinctEvents(evidence).filter(isOfBackend).map(reportOfRecord);
  const onLog = countBy(events, nameOf);
  const lost = countBy(lostEvents(evidence).map(reportOfRecord), nameOf);
  const sent = Map.groupBy(reported(evidence), ({ name }) => name);
  for (const [name, tries] of sent) {
    const count = (outcome: string) =>
      tries.filter(({ request }) => request.outcome === outcome).length;
    const [ok, unknown] = [count('ok'), count('unknown')];
    if (unknown === 0 && count('failed') === 0) continue;
    const found = onLog.get(name) ?? 0;
    const isKeyed = tries[0]?.report.key !== undefined;
    const most = isKeyed ? Math.min(1, ok + unknown) : ok + unknown;
    const least = (isKeyed ? Math.min(1, ok) : ok) - (lost.get(name) ?? 0);
    const answers = tries.map(({ request }) => request.status ?? request.failure).join(', ');
    judge(
      found >= least && found <= most
        ? undefined
        : `${name} is ${found} times on the log, and was answered ${answers}`,
    );
  }
  const users = new Set(events.map(userOf));
  for (const { name, report } of reported(evidence).filter(isOnlyRefused(evidence))) {
    if (users.has(userOf(report))) breaks(`${name} was refused, and its user is on the log`);
  }
  const known = new Set(sent.keys());
  for (const report of events) {
    if (report.userId.startsWith('mx.') && !known.has(nameOf(report))) {
      breaks(`${nameOf(report)} is on the log, and nobody sent it`);
    }
  }
  return verdict;
}

/** Whose every request was refused: of that user nothing may be known. */
function isOnlyRefused(evidence: Evidence): (one: Reported) => boolean {
  const others = new Set(
    reported(evidence)
      .filter(({ request }) => request.outcome !== 'failed')
      .map(({ report }) => userOf(report)),
  );
  return ({ request, report }) => request.outcome === 'failed' && !others.has(userOf(report));
}

function userOf({ tenantId, userId }: Report): string {
  return JSON.stringify([tenantId, userId]);
}

/**
 * However often a request with a key is repeated, it has one event and one answer; no other content
 * was ever accepted under that key, and no key of a customer is taken by another one's. No run
 * lasts for the 72 hours after which a key is new.
 */
export function keyHasOneAnswer(evidence: Evidence): Verdict {
  const { verdict, judge } = createVerdict();
  const keyed = reported(evidence).filter(({ report }) => report.key !== undefined);
  const byKey = Map.groupBy(keyed, ({ report: { tenantId, eventType, key } }) =>
    JSON.stringify([tenantId, eventType, key]),
  );
  const eventIds = new Map<string, Set<string>>();
  for (const event of distinctEvents(evidence)) {
    if (event.idempotency === undefined) continue;
    const key = JSON.stringify([event.tenantId, event.eventType, event.idempotency.key]);
    eventIds.set(key, (eventIds.get(key) ?? new Set()).add(event.eventId));
  }
  for (const [key, tries] of byKey) {
    const sent = new Set(tries.map(({ request }) => request.body));
    if (sent.size === 1 && tries.some(({ request }) => request.status === 409)) {
      judge(`key ${key} was refused as taken, and nothing else was sent under it`);
      continue;
    }
    const accepted = tries.filter(({ request }) => request.outcome === 'ok');
    if (tries.length < 2 || accepted.length === 0) continue;
    const answers = new Set(accepted.map(({ request }) => canonical(request.answer ?? '')));
    const bodies = new Set(accepted.map(({ request }) => request.body));
    const ids = eventIds.get(key) ?? new Set();
    const refused = tries.find(
      ({ request: { status, body } }) => status === 409 && bodies.has(body),
    );
    if (refused !== undefined) judge(`key ${key} was refused for the content it was accepted with`);
    else if (answers.size > 1) judge(`key ${key} got the answers ${[...answers].join(' and ')}`);
    else if (bodies.size > 1) judge(`key ${key} was accepted with ${bodies.size} contents`);
    else if (ids.size > 1) judge(`key ${key} has the events ${[...ids].join(' and ')}`);
    else judge(undefined);
  }
  return verdict;
}

/** JSON with the members of an object in order; the order of members says nothing. */
function canonical(text: string): string {
  const value = JSON.parse(text) as object;
  return JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
