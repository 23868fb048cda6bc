import type { DecisionTest, NotAttributedReason } from '@tributary/contracts/decision-record';
import { revisionInForce } from '@tributary/contracts/revision-in-force';
import { recordKey } from '@tributary/contracts/topics';
import type { Claim } from './claim.ts';
import { codeAt } from './code-history.ts';
import { type DecisionContent, decisionOn } from './decision.ts';
import { type Fact, hasDerivedKey, paymentOf } from './fact.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * Decides one event. The tests are made in a fixed order and the first that fails gives the reason;
 * all that were made are kept, so that the decision explains itself (design 4, promise 5).
 */
export function decideFact(fact: Fact, surroundings: Surroundings): DecisionContent {
  const claim = surroundings.claims.get(fact.businessKey);
  if (!claim) throw new Error('a business key without a claim');
  return fact.event.eventType === 'purchase-refunded'
    ? decideRefund(fact, claim)
    : decideByCode(fact, claim, surroundings);
}

/** A refund follows its purchase; the code on it decides nothing (design 7, "Refunds"). */
function decideRefund(fact: Fact, claim: Claim): DecisionContent {
  const { pass, fail } = createTests(fact, claim);
  const duplicate = duplicateOf(fact, claim);
  if (duplicate) return fail('duplicate', ...duplicate);
  pass(...noDuplicate);
  return fail(
    'refund-without-purchase',
    'purchase to reverse',
    'the refund is kept and waits: it has not been matched with a purchase',
  );
}

function decideByCode(fact: Fact, claim: Claim, surroundings: Surroundings): DecisionContent {
  const { event } = fact;
  const { pass, fail, attribute } = createTests(fact, claim);

  const history = surroundings.codes.get(recordKey(event.tenantId, event.ucc));
  if (!history) {
    return fail('unknown-code', 'code known', `nobody has published code ${quoted(event.ucc)}`);
  }
  const code = codeAt(history, event.receivedAt);
  const { campaignId, ownerId } = code;
  pass(
    'code known',
    `code ${quoted(event.ucc)} belongs to user ${quoted(ownerId)} in campaign ${quoted(campaignId)}`,
  );

  if (code.disabledSince !== undefined) {
    return fail(
      'code-disabled',
      'code enabled',
      `the code is disabled since ${code.disabledSince}; the event came at ${event.receivedAt}`,
      { campaignId },
    );
  }
  pass('code enabled', `the code was enabled when the event came, at ${event.receivedAt}`);

  if (ownerId === event.newUser.id) {
    return fail(
      'self-referral',
      'not a self-referral',
      `the referred user ${quoted(event.newUser.id)} owns the code`,
      { campaignId },
    );
  }
  pass(
    'not a self-referral',
    `the referred user is ${quoted(event.newUser.id)}, the owner ${quoted(ownerId)}`,
  );

  const campaign = surroundings.campaigns.get(recordKey(event.tenantId, campaignId)) ?? [];
  const revision = revisionInForce(campaign, event.occurredAtSeconds);
  if (!revision) {
    return fail(
      'campaign-not-running',
      'campaign running',
      `no revision of campaign ${quoted(campaignId)} was in effect at ${event.occurredAt}`,
      { campaignId },
    );
  }
  const inForce = `revision ${revision.revision} of the campaign, in effect from ${revision.effectiveFrom},`;
  const chosen = { campaignId, campaignRevision: revision.revision };
  if (revision.status !== 'running') {
    const detail = `${inForce} had stopped the campaign at ${event.occurredAt}`;
    return fail('campaign-not-running', 'campaign running', detail, chosen);
  }
  pass('campaign running', `${inForce} was running at ${event.occurredAt}`);

  const duplicate = duplicateOf(fact, claim);
  if (duplicate) {
    const [test, detail, holder] = duplicate;
    return fail('duplicate', test, detail, { ...chosen, ...holder });
  }
  pass(...noDuplicate);
  return attribute({ ...chosen, referrerId: ownerId });
}

type Found = Partial<DecisionContent>;

/** Collects the tests of one fact, up to its decision. */
function createTests(fact: Fact, claim: Claim) {
  const flags = flagsOf(fact, claim);
  const tests: DecisionTest[] = [];
  return {
    pass: (test: string, detail: string) => void tests.push({ test, passed: true, detail }),
    fail(reason: NotAttributedReason, test: string, detail: string, found: Found = {}) {
      tests.push({ test, passed: false, detail });
      const outcome = waitingReasons.has(reason) ? 'waiting' : 'not-attributed';
      return decisionOn(fact, { outcome, reason, flags, tests, ...found });
    },
    attribute: (found: Found) =>
      decisionOn(fact, { outcome: 'attributed', ...found, flags, tests }),
  };
}

/** The test that a duplicate fails, and the event that comes first. */
function duplicateOf({ event }: Fact, { holder }: Claim): [string, string, Found] | undefined {
  if (holder.eventId === event.eventId) return undefined;
  const detail = `event ${holder.eventId} from ${holder.source} reports the same and comes first`;
  return [notADuplicate, detail, { duplicateOf: holder.eventId }];
}

const notADuplicate = 'not a duplicate';
const noDuplicate = [
  notADuplicate,
  'of all events that report this, this one comes first',
] as const;

const waitingReasons: ReadonlySet<NotAttributedReason> = new Set([
  'unknown-code',
  'refund-without-purchase',
]);

/** What somebody should look at, whatever the outcome; in a fixed order. */
function flagsOf(fact: Fact, { holder }: Claim): string[] {
  const { event } = fact;
  const flags: string[] = [];
  if (hasDerivedKey(fact)) flags.push('derived-business-key');
  if (holder.eventId === event.eventId) return flags;
  const payment = paymentOf(event);
  if (payment && (payment.amount !== holder.amount || payment.currency !== holder.currency)) {
    flags.push('amount-differs');
  }
  if (event.newUser.id !== holder.newUserId) flags.push('user-differs');
  return flags;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
