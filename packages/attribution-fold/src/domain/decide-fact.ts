import { compareCanonical } from '@tributary/contracts/canonical-order';
import { recordKey } from '@tributary/contracts/topics';
import { modeAt } from './attribution-mode.ts';
import type { Claim } from './claim.ts';
import { type DecisionContent, decisionOn } from './decision.ts';
import { decideRefund } from './decide-refund.ts';
import { countedAs, flagsOf } from './duplicate.ts';
import { type Fact, userKeyOf } from './fact.ts';
import { inForceAt } from './in-force-at.ts';
import type { DecisionContext } from './decision-context.ts';
import { createTrial } from './trial.ts';
import { type CodeInQuestion, tryCode } from './try-code.ts';

/**
 * Decides one event. The tests are made in a fixed order and the first that fails gives the reason;
 * all that were made are kept, so that the decision explains itself (design 4, promise 5).
 */
export function decideFact(fact: Fact, context: DecisionContext): DecisionContent {
  return fact.event.eventType === 'purchase-refunded'
    ? decideRefund(fact, context, decideByCode)
    : decideByCode(fact, context);
}

function decideByCode(given: Fact, context: DecisionContext): DecisionContent {
  const claim = context.claims.get(given.businessKey);
  const { fact, holder, test } = countedAs(given, claim?.holder, context);
  const question = codeInQuestion(fact, context);
  const trial = createTrial();
  const common = {
    ...(question.ucc !== fact.event.ucc && { boundUcc: question.ucc }),
    ...reversalsOf(fact, claim, context),
    flags: flagsOf(fact, holder),
    tests: trial.tests,
  };

  const tried = tryCode(trial, fact, question, context);
  if (tried.reason !== undefined) {
    return decisionOn(fact, { ...common, outcome: 'not-attributed', ...tried });
  }
  trial.tests.push(test);
  if (!test.passed) {
    const { campaignId, campaignRevision } = tried;
    return decisionOn(fact, {
      ...common,
      outcome: 'not-attributed',
      reason: 'duplicate',
      duplicateOf: holder.eventId,
      ...{ campaignId, campaignRevision },
    });
  }
  return decisionOn(fact, { ...common, outcome: 'attributed', ...tried });
}

/**
 * In mode `first-code` what comes after the user's first valid code is decided by that one, as it
 * was then; what comes before, and everything in mode `event-code`, by the code on it.
 */
function codeInQuestion(fact: Fact, context: DecisionContext): CodeInQuestion {
  const { modes, users, foldVersion } = context;
  const { event } = fact;
  const own = { ucc: event.ucc, evaluatedAt: event.receivedAt };
  const { seconds } = inForceAt(event, foldVersion);
  if (modeAt(modes.get(event.tenantId) ?? [], seconds) === 'event-code') return own;
  const bound = users.get(userKeyOf(fact))?.bound;
  if (!bound || compareCanonical(event, bound) < 0) return own;
  const { ucc, receivedAt: evaluatedAt, recovered } = bound;
  return { ucc, evaluatedAt, ...(recovered && { recoveredBy: bound.eventId }) };
}

/** Whether the code on the fact may bind its user: a window and a duplicate do not matter. */
export function mayBind(fact: Fact, context: DecisionContext): boolean {
  const { event } = fact;
  if (event.eventType === 'purchase-refunded') return false;
  if (!context.codes.has(recordKey(event.tenantId, event.ucc))) return false;
  const own = { ucc: event.ucc, evaluatedAt: event.receivedAt, toBind: true };
  return tryCode(createTrial(), fact, own, context).reason === undefined;
}

/** Given by the purchase that holds the invoice, whatever its outcome. */
function reversalsOf(fact: Fact, claim: Claim | undefined, { invoices }: DecisionContext) {
  const reversals = claim ? (invoices.get(claim.businessKey)?.reversals ?? []) : [];
  const holds = claim?.holder?.eventId === fact.event.eventId;
  return holds && reversals.length > 0 ? { reversals } : {};
}
