import { isDeepStrictEqual } from 'node:util';
import type { EventRecord } from '@tributary/contracts/event-record';
import { topics as topicTable } from '@tributary/contracts/topics';
import type { ExpectedFact } from '../../processor/expected-facts.ts';
import { withoutArrival } from '../../processor/compare-facts.ts';
import type { Evidence, SentRequest } from '../evidence.ts';
import { objectsOf } from './money.ts';
import { distinctEvents } from './reported-events.ts';
import { createVerdict, type Verdict } from './verdict.ts';

// Events of Stripe, and the facts that they mean (docs/stripe.md, docs/decisions/0014).

type Told = { request: SentRequest; id: string };
type Received = {
  type: string;
  processorEventId: string;
  tenantId: string;
  connectionId: string;
  ignored?: string;
};

/** By the id of the event. */
function toldBy({ requests }: Evidence): Map<string, Told[]> {
  const told = requests
    .filter(({ by }) => by === 'stripe')
    .map((request) => ({ request, id: idOf(request) }));
  return Map.groupBy(told, ({ id }) => id);
}

function idOf({ body = '{}' }: SentRequest): string {
  return (JSON.parse(body) as { id: string }).id;
}

function receivedOn({ topics }: Evidence): Map<string, Received[]> {
  const received = objectsOf<Received>(topics[topicTable.processor.name]).filter(
    ({ type, ignored }) => type === 'received' && ignored !== 'connection-test',
  );
  return Map.groupBy(received, ({ processorEventId }) => processorEventId);
}

function factsOn(evidence: Evidence): Map<string, EventRecord> {
  const facts = distinctEvents(evidence).filter(({ source }) => source === 'processor');
  return new Map(facts.map((fact) => [fact.eventId, fact]));
}

const isSigned = ({ request }: Told) => request.proof === 'right';
const isAccepted = ({ request }: Told) => request.outcome === 'ok';

/**
 * Every event of Stripe that was acknowledged is on the log, every one with a right signature was
 * acknowledged in the end, and the facts are those that all of them mean, with the same content.
 */
export function stripeIsKept(evidence: Evidence): Verdict {
  const { verdict, judge, breaks } = createVerdict();
  const received = receivedOn(evidence);
  for (const [id, tries] of toldBy(evidence)) {
    const [first] = tries.filter(isSigned);
    if (first === undefined) continue;
    const { tenantId, path } = first.request;
    const isThere = received
      .get(id)
      ?.every((one) => one.tenantId === tenantId && path.endsWith(`/${one.connectionId}`));
    const what = `event ${id} of Stripe for ${tenantId}`;
    if (!tries.some(isAccepted)) judge(`${what} was never acknowledged`);
    else judge(isThere ? undefined : `${what} was acknowledged, and is not on the log as theirs`);
  }
  const isMeant = evidence.row.sources?.includes('stripe') ?? false;
  if (isMeant && verdict.judged === 0) breaks('no event of Stripe was told');
  const facts = factsOn(evidence);
  for (const expected of evidence.stripeFacts) judge(wrongWith(expected, facts));
  return verdict;
}

function wrongWith(
  expected: ExpectedFact,
  facts: ReadonlyMap<string, EventRecord>,
): string | undefined {
  const { eventId, eventType, newUser, tenantId } = expected;
  const what = `${eventType} ${eventId} of ${newUser.id} of ${tenantId}`;
  const found = facts.get(eventId);
  if (found === undefined) return `${what} is what Stripe told, and is not on the log`;
  if (isDeepStrictEqual(withoutArrival(found), expected)) return undefined;
  return `${what} is on the log as ${JSON.stringify(found)}, told ${JSON.stringify(expected)}`;
}

/**
 * An event whose signature is wrong or 301 s old is refused and leaves nothing; a try without an
 * answer leaves one record at most. No fact is of Stripe that Stripe did not tell.
 */
export function refusedStripeLeavesNothing(evidence: Evidence): Verdict {
  const { verdict, judge, breaks } = createVerdict();
  const received = receivedOn(evidence);
  const told = toldBy(evidence);
  for (const [id, tries] of told) {
    const records = received.get(id)?.length ?? 0;
    for (const { request } of tries.filter((one) => !isSigned(one) && isAccepted(one))) {
      judge(`event ${id} of Stripe was acknowledged, its signature ${request.proof}`);
    }
    const signed = tries.filter(isSigned);
    const most = signed.filter(({ request }) => request.outcome !== 'failed').length;
    if (signed.length === tries.length && signed.every(isAccepted)) continue;
    const said = `event ${id} of Stripe is ${records} times on the log, and ${most} tries may`;
    judge(records > most ? `${said} have left it there` : undefined);
  }
  for (const id of received.keys()) {
    if (!told.has(id)) breaks(`event ${id} of Stripe is on the log, and was never told`);
  }
  const expected = new Set(evidence.stripeFacts.map(({ eventId }) => eventId));
  for (const [eventId, { newUser }] of factsOn(evidence)) {
    if (!expected.has(eventId)) {
      breaks(`fact ${eventId} of ${newUser.id} is on the log, and is not what Stripe told`);
    }
  }
  return verdict;
}

/** However often an event is told, the answer is the same. */
export function stripeEventHasOneAnswer(evidence: Evidence): Verdict {
  const { verdict, judge } = createVerdict();
  for (const [id, tries] of toldBy(evidence)) {
    const accepted = tries.filter(isAccepted);
    if (accepted.length < 2) continue;
    const answers = new Set(accepted.map(({ request }) => `${request.status} ${request.answer}`));
    const said = `event ${id} of Stripe got the answers ${[...answers].join(' and ')}`;
    judge(answers.size > 1 ? said : undefined);
  }
  return verdict;
}
