import { eventCodec, type EventRecord } from '@tributary/contracts/event-record';
import { type Dialogue, takeStored } from './fold-dialogue.ts';
import { type KeptItem, type NewFact, readingKey, type Subject } from './fold-subject.ts';
import { evaluateItem, type EvaluateOptions } from './evaluate-item.ts';
import type { LookUp, Verdict } from './model.ts';

/** A charge asks for the invoice of its payment, then for that invoice: a few rounds at most. */
const maxRounds = 50;

/**
 * Evaluates an item by what its subject knows now, and takes over what becomes of it. A fact that
 * was made stays as it is: only those are added that there are none of. An item that cannot be
 * evaluated is a fault of ours; it is kept, listed as `internal`, and evaluated again with each
 * record of its subject (design 6), and holds up no other.
 */
export function* evaluateKept(
  subject: Subject,
  kept: KeptItem,
  options: EvaluateOptions,
): Dialogue<void> {
  const asks = new Set<string>();
  subject.added.itemIds.add(kept.item.itemId);
  const evaluated = yield* evaluateWhole(subject, kept, asks, options);
  kept.asks = [...asks].sort();
  if ('fault' in evaluated) {
    subject.added.faults.push({ itemId: kept.item.itemId, fault: evaluated.fault });
    const detail = 'It could not be judged; the log of the service says why.';
    Object.assign(kept, { state: 'unmatched', reason: 'internal', detail, needs: [] });
    return;
  }
  const { verdict, facts } = evaluated;
  kept.state = verdict.state;
  kept.reason = 'reason' in verdict ? verdict.reason : null;
  kept.detail = 'detail' in verdict ? verdict.detail.replaceAll('\0', '') : null;
  kept.needs = verdict.needs;
  for (const fact of facts) {
    kept.eventIds = [...kept.eventIds, fact.eventId];
    subject.added.facts.push(fact);
    if (fact.invoiceId !== null && !subject.purchases.get(fact.invoiceId)) {
      subject.purchases.set(fact.invoiceId, fact.purchase);
    }
  }
}

type Evaluated = { verdict: Verdict; facts: NewFact[] } | { fault: unknown };

function* evaluateWhole(
  subject: Subject,
  kept: KeptItem,
  asks: Set<string>,
  options: EvaluateOptions,
): Dialogue<Evaluated> {
  for (let round = 0; round < maxRounds; round += 1) {
    const missing: Unknown = { readingKeys: [], invoiceIds: [] };
    let evaluated: Evaluated;
    try {
      const lookUp = lookUpOf(subject, asks, missing);
      const verdict = evaluateItem(kept.item, lookUp, options);
      evaluated = { verdict, facts: newFacts(kept, verdict) };
    } catch (fault) {
      evaluated = { fault };
    }
    if (missing.readingKeys.length + missing.invoiceIds.length === 0) return evaluated;
    takeStored(subject, yield missing);
  }
  return { fault: new Error(`evaluated ${maxRounds} times, and asked for more each time`) };
}

type Unknown = { readingKeys: string[]; invoiceIds: string[] };

/** Notes what is asked for, and of that what the subject does not have in memory. */
function lookUpOf(subject: Subject, asks: Set<string>, missing: Unknown): LookUp {
  return {
    reading(type, id) {
      const key = readingKey(type, id);
      asks.add(key);
      const reading = subject.readings.get(key);
      if (reading === undefined && !subject.fresh) missing.readingKeys.push(key);
      return reading ?? undefined;
    },
    reported(invoiceId) {
      const purchase = subject.purchases.get(invoiceId);
      if (purchase === undefined && !subject.fresh) missing.invoiceIds.push(invoiceId);
      return purchase ?? undefined;
    },
  };
}

function newFacts(kept: KeptItem, verdict: Verdict): NewFact[] {
  if (!('facts' in verdict)) return [];
  return verdict.facts
    .filter(({ eventId }) => !kept.eventIds.includes(eventId))
    .map((record) => toFact(kept, record));
}

/** Throws when the record breaks its contract. */
function toFact({ item }: KeptItem, record: EventRecord): NewFact {
  const { eventId, ucc, newUser } = record;
  const invoiceId =
    record.eventType === 'purchase-created' ? (record.purchase.invoiceId ?? null) : null;
  return {
    eventId,
    itemId: item.itemId,
    connectionId: item.connectionId,
    eventType: record.eventType,
    occurredAtSeconds: record.occurredAtSeconds,
    invoiceId,
    purchase: { ucc, newUserId: newUser.id, taxPolicy: item.taxPolicy },
    value: eventCodec.encode(record),
  };
}
