import type { CampaignRule, Effect } from '@tributary/contracts/campaign-rule';
import type { DecisionTest } from '@tributary/contracts/decision-record';
import { derivedId } from '@tributary/contracts/derived-id';
import { formatMoney } from '@tributary/contracts/money';
import type { CalculationStep } from '@tributary/contracts/reward-record';
import { ruleApplies, ruleTests } from '@tributary/contracts/rule-tests';
import { creditsInWords, formatCredits } from './credits.ts';
import { creditsOf, effectAt, effectText } from './effect.ts';
import type { Cause, RecipientKey, ReviewReason } from './entitlement.ts';
import { exactSeconds } from './sort-key.ts';
import { type Referral, referralTests } from './referral.ts';
import type { Step } from './step.ts';
import { limitsOf, refundTermsOf, type Terms } from './terms.ts';
import type { Boundaries } from './tiers.ts';

export type RecipientRole = Cause['recipientRole'];

/** What a rule would give one recipient for one step, before limits per recipient and refunds. */
export type CandidateReward = Terms &
  RecipientKey & {
    campaignId: string;
    cause: Cause;
    /** How the fact came to the recipient. */
    introduction: readonly string[];
    tests: readonly DecisionTest[];
    calculation: readonly CalculationStep[];
    maturesAt?: string;
    reviews: readonly ReviewReason[];
  };

/** What a step looks back at. */
export type Past = { referral: Referral; boundaries: Boundaries };

/** For everybody, or for one recipient. */
export function candidatesOf(step: Step, past: Past, recipientId?: string): CandidateReward[] {
  return givesOf(step)
    .filter((give) => recipientId === undefined || give.recipientId === recipientId)
    .flatMap((give) => candidateOf(step, give, past) ?? []);
}

type Give = { rule: CampaignRule; role: RecipientRole; recipientId: string; effect: Effect };

/** Each rule and role that applies; with `first` only the first rule of each role. */
function givesOf({ decision, revision, referrerId, newUserId }: Step): Give[] {
  const taken = new Set<RecipientRole>();
  return revision.rules
    .filter((rule) => ruleApplies(rule, decision))
    .flatMap((rule) =>
      rolesOf(rule).map((role): Give => {
        const recipientId = role === 'referrer' ? referrerId : newUserId;
        const own = role === 'new-user' ? rule.newUserEffect : undefined;
        return { rule, role, recipientId, effect: own ?? rule.effect };
      }),
    )
    .filter(({ role }) => {
      if (revision.ruleMatching !== 'first') return true;
      if (taken.has(role)) return false;
      taken.add(role);
      return true;
    });
}

export function rolesOf({ recipient }: Pick<CampaignRule, 'recipient'>): RecipientRole[] {
  return recipient === 'both' ? ['referrer', 'new-user'] : [recipient];
}

/** Nothing when the effect comes to 0: a reward of nothing would only be noise. */
function candidateOf(
  step: Step,
  give: Give,
  { referral, boundaries }: Past,
): CandidateReward | undefined {
  const { decision, revision, sortKey } = step;
  const { rule, role, recipientId } = give;
  // Tiers count what a referrer refers; nobody else has a count.
  const { effect, fromCount } = effectAt(give.effect, (count) => {
    const boundary = role === 'referrer' ? boundaries.get(count) : undefined;
    return boundary !== undefined && boundary <= sortKey;
  });
  const scale = revision.creditScale;
  const credits = creditsOf(effect, decision.purchase, scale);
  if (credits <= 0n) return undefined;
  const limitTests = referralTests(rule, step, referral);
  const refused = limitTests.filter((test) => !test.passed);
  const { tenantId, businessKey } = step;
  const maturesAt = maturesAtOf(decision.receivedAt, rule.holdDays ?? 0);
  return {
    rewardId: derivedId('reward', tenantId, businessKey, rule.ruleId, role, recipientId),
    tenantId,
    recipientId,
    campaignId: revision.campaignId,
    sortKey,
    second: Number(exactSeconds(decision.occurredAtSeconds).whole),
    wanted: refused.length > 0 ? 0n : credits,
    scale,
    limits: limitsOf(rule),
    refunds: refundTermsOf(rule, decision),
    cause: causeOf(step, rule, role),
    introduction: [factSentence(step), codeSentence(step)],
    tests: [...ruleTests(rule, decision), ...limitTests],
    calculation: [
      {
        step: 'effect',
        detail: effectSentence(give, effect, step, creditsInWords(credits), fromCount),
        credits: formatCredits(credits),
      },
      ...refused.map(({ detail }) => ({
        step: 'limit' as const,
        detail: `Limit: ${detail}.`,
        credits: '0',
      })),
    ],
    ...(maturesAt !== undefined && { maturesAt }),
    reviews: reviewsOf(step),
  };
}

function causeOf({ decision, revision }: Step, rule: CampaignRule, role: RecipientRole): Cause {
  return {
    campaignRevision: revision.revision,
    ruleId: rule.ruleId,
    recipientRole: role,
    businessKey: decision.businessKey,
    eventId: decision.eventId,
    decisionId: decision.decisionId,
    decisionVersion: decision.version,
    occurredAtSeconds: decision.occurredAtSeconds,
    receivedAt: decision.receivedAt,
    newUserId: decision.newUserId,
    occurredAt: decision.occurredAt,
  };
}

function maturesAtOf(receivedAt: string, holdDays: number): string | undefined {
  if (holdDays === 0) return undefined;
  return new Date(Date.parse(receivedAt) + holdDays * 86_400_000).toISOString();
}

function reviewsOf({ decision, revision }: Step): ReviewReason[] {
  const late = Date.parse(revision.publishedAt) > Date.parse(decision.receivedAt);
  return [...(decision.review ?? []), ...(late ? ['revision-published-later' as const] : [])];
}

function factSentence({ decision: { newUserId, purchase, occurredAt, eventType } }: Step): string {
  const user = `User ${quoted(newUserId)}`;
  if (!purchase) {
    return `${user} ${eventType === 'demo-attended' ? 'attended a demo' : 'signed up'} at ${occurredAt}.`;
  }
  const { invoiceId, amount, currency } = purchase;
  const invoice = invoiceId === undefined ? '' : ` on invoice ${quoted(invoiceId)}`;
  return `${user} paid ${formatMoney(amount, currency)}${invoice} at ${occurredAt}.`;
}

function codeSentence({ decision, revision, referrerId }: Step): string {
  const code = `Code ${quoted(decision.boundUcc ?? decision.ucc)}`;
  return (
    `${code} belongs to referrer ${quoted(referrerId)} in campaign ` +
    `${quoted(revision.campaignId)}; revision ${revision.revision} applied at that time.`
  );
}

function effectSentence(
  { rule, role }: Give,
  effect: Parameters<typeof effectText>[0],
  { decision }: Step,
  credits: string,
  fromCount: number | undefined,
): string {
  const who = role === 'referrer' ? 'the referrer' : 'the new user';
  const gives = `Rule ${quoted(rule.ruleId)} gives ${who} ${credits}`;
  const tier =
    fromCount === undefined
      ? ''
      : `, in the tier from ${fromCount} referred users with a purchase on`;
  if (effect.kind === 'fixed') return `${gives} for each ${nounOf(rule)}${tier}.`;
  return `${gives}: ${effectText(effect, decision.purchase?.currency ?? '')}${tier}.`;
}

function nounOf({ trigger }: CampaignRule): string {
  return { 'purchase-created': 'purchase', 'signup-created': 'signup', 'demo-attended': 'demo' }[
    trigger
  ];
}

export function quoted(text: string): string {
  return JSON.stringify(text);
}
