import type { EventRecord } from '@tributary/contracts/event-record';
import type { StripeObject, TaxPolicy } from '@tributary/contracts/processor-record';
import type { Known, KnownFact } from '../../db/find-known.ts';
import type { Background } from '../../db/find-background.ts';
import { evaluateItem } from '../../domain/evaluate-item.ts';
import type { Item, LookUp, Need, Reading, Verdict } from '../../domain/model.ts';
import type { AskStripe } from './ask-stripe.ts';

/** An item asks for its price after its lines, so a few times one thing after the other. */
const mostRounds = 5;

/**
 * What the mapping makes of an object as Stripe has it now, where there is a fact already: the
 * identity is the fact's, as metadata may have changed since, and rightly so. What was read before
 * is used as it was then; what never was is asked now, and kept nowhere.
 *
 * @throws {StripeRefuses}
 */
export async function evaluateNow(options: {
  known: Known;
  fact: KnownFact;
  object: Item['object'];
  background: Background;
  ask: AskStripe;
  now: string;
}): Promise<Verdict> {
  const { known, fact, object, background, ask, now } = options;
  const item: Item = { ...known.item, object, taxPolicy: fact.taxPolicy };
  delete item.ignored;
  const read = new Map<string, Reading>();
  const { subjectId } = known;
  const lookUp = lookUpOf(item, fact, {
    reading: (type, id) => read.get(`${type} ${id}`) ?? background.reading(subjectId, type, id),
    reported: (invoiceId) => background.policyOf(subjectId, invoiceId),
  });
  for (let round = 1; ; round += 1) {
    const verdict = evaluateItem(item, lookUp, { metadataTtlMs: 0 });
    if (verdict.state !== 'waiting' || round === mostRounds) return verdict;
    await readAll(verdict.needs, ask, now, read);
  }
}

async function readAll(
  needs: readonly Need[],
  ask: AskStripe,
  now: string,
  read: Map<string, Reading>,
): Promise<void> {
  for (const { type, id } of needs) {
    const object: StripeObject = await ask(type, id);
    read.set(`${type} ${id}`, { object, receivedAt: now });
  }
}

type Held = {
  reading: LookUp['reading'];
  /** The policy of an invoice's purchase, when it was reported. */
  reported: (invoiceId: string) => TaxPolicy | undefined;
};

function lookUpOf(item: Item, { record, taxPolicy }: KnownFact, held: Held): LookUp {
  const identity = { ucc: record.ucc, newUserId: record.newUser.id };
  return {
    reading(type, id) {
      // The object as it is now says it itself.
      if (type === item.type && id === item.objectId) return undefined;
      if (type !== 'customer') return held.reading(type, id);
      const object = { object: 'customer', id, deleted: false, ...identity } as const;
      return { object, receivedAt: item.receivedAt };
    },
    reported: (invoiceId) => ({ ...identity, taxPolicy: held.reported(invoiceId) ?? taxPolicy }),
  };
}

/** The fact that the verdict would make in place of this one. */
export function wantedOf(verdict: Verdict, fact: EventRecord): EventRecord | undefined {
  const facts = 'facts' in verdict ? verdict.facts : [];
  return facts.find(({ eventId }) => eventId === fact.eventId);
}
