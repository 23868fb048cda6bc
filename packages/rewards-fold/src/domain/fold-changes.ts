import { countCaps, type CapWrites } from './recount-caps.ts';
import type { Issuance, RecipientKey } from './entitlement.ts';
import type { RecipientFold } from './fold-recipient.ts';
import {
  ask,
  type BusinessFact,
  type Dialogue,
  factName,
  recipientName,
  type Touch,
} from './fold-tables.ts';
import { type CampaignKey, campaignName, type LookBack, nothingToLookBackAt } from './look-back.ts';
import type { Totals } from './recipient-change.ts';
import { type Referral, referralOf, unlimited } from './referral.ts';
import {
  type Claim,
  holderOf,
  laneName,
  type LaneKey,
  type ReferralKey,
  referralName,
  type Step,
  stepOf,
  type StepRow,
} from './step.ts';
import { planFolds } from './plan-folds.ts';
import { type Boundaries, movedRanges } from './tiers.ts';
import { type CandidateReward, candidatesOf } from './candidate-reward.ts';

/** A business fact before and after: who held it, and who holds it now. */
export type FactChange = BusinessFact & {
  before?: StepRow;
  after?: Step;
  /** All current decisions about it. */
  claims: readonly Claim[];
  /** Nobody has claimed it before, so there is no reward for it. */
  isNew?: boolean;
};

export type FoldInput = {
  /** Locked, with their totals. */
  recipients: readonly (RecipientKey & { totals: Totals })[];
  changes: readonly FactChange[];
  /** To be folded though nothing changed: a fold of them failed before. */
  touches: readonly Touch[];
  /** All current decisions about the touches; only to say why something is withdrawn. */
  claims: readonly Claim[];
  facts: readonly Issuance[];
};

/** What to do for one recipient; `limits` is to be written with what its fold comes to. */
export type PlannedFold =
  | { outcome: 'planned'; fold: RecipientFold; limits: CapWrites }
  | { outcome: 'failed'; fold: Pick<RecipientFold, 'recipient' | 'businessKeys'>; error: unknown };

/**
 * Folds what changed, and what looks back at it: the same as `foldClaims` over everything, at the
 * cost of what can differ.
 *
 *   changed facts ─▶ tiers that moved ─▶ purchases between the old and the new place
 *                 ─▶ referrals        ─▶ their other facts, where a rule limits them
 *                 ─▶ wishes ─▶ limits per recipient ─▶ rewards that got more or less room
 *
 * The tables of steps have the changes already. A rule without look-back asks nothing but what is
 * stored of its own rewards.
 */
export function* foldChanges(input: FoldInput): Dialogue<PlannedFold[]> {
  const again = yield* stepsAgain(input.touches);
  const lookBacks = yield* readLookBacks(input, again);
  const lookBackOf = (key: CampaignKey) => lookBacks.get(campaignName(key)) ?? nothingToLookBackAt;
  const work = createWork(input);
  for (const change of input.changes) {
    work.touch(change, recipientsOfChange(change, lookBackOf));
    if (change.after) work.steps.set(factName(change), change.after);
  }
  for (const step of again) work.steps.set(factName(step), step);
  for (const touch of input.touches) work.touch(touch, [touch]);

  const boundaries = yield* foldTiers(input, again, lookBackOf, work);
  const referrals = yield* foldReferrals(input, lookBackOf, work);

  const failures = new Map<string, unknown>();
  const candidates = candidatesOfTouches(work, boundaries, referrals, failures);
  const healthy = work.touches().filter((touch) => !failures.has(recipientName(touch)));
  const news = new Set(input.changes.filter(({ isNew }) => isNew).map(factName));
  const counted = yield* countCaps({
    touches: healthy,
    older: healthy.filter((touch) => !news.has(factName(touch))),
    candidates,
    lookBacks,
    isLimited: isLimited(input, again, lookBackOf),
  });
  const rewardIds = [
    ...candidates.map((candidate) => candidate.rewardId),
    ...counted.moved.map(({ terms }) => terms.rewardId),
    ...input.facts.map((fact) => fact.rewardId),
  ];
  const older = work.facts().filter((fact) => !news.has(factName(fact)));
  const stored = yield* ask('entitlements', { facts: older, rewardIds });
  return planFolds(input, work.touches(), { candidates, counted, stored, failures });
}

type LookBackOf = (key: CampaignKey) => LookBack;

function* stepsAgain(touches: readonly Touch[]): Dialogue<Step[]> {
  if (touches.length === 0) return [];
  const claims = yield* ask('stepsOfFacts', distinct(touches, factName));
  return claims.flatMap((claim) => stepOf(claim) ?? []);
}

/** By {@link campaignName}; missing: nothing to look back at. */
function* readLookBacks(
  input: FoldInput,
  again: readonly Step[],
): Dialogue<ReadonlyMap<string, LookBack>> {
  const campaigns = distinct([...rowsOf(input.changes), ...again], campaignName);
  return campaigns.length === 0 ? new Map() : yield* ask('lookBacks', campaigns);
}

function rowsOf(changes: readonly FactChange[]): StepRow[] {
  return changes.flatMap(({ before, after }) => [before ?? [], after ?? []].flat());
}

/** Everybody whose rewards may change with a fact: those of its old and of its new form. */
export function recipientsOfChange(
  change: Pick<FactChange, 'before' | 'after'>,
  lookBackOf: LookBackOf,
): RecipientKey[] {
  const recipients = rowsOf([{ tenantId: '', businessKey: '', claims: [], ...change }]).flatMap(
    (row) => recipientsOfRow(row, lookBackOf(row)),
  );
  return distinct(recipients, recipientName);
}

/** The referrer always: its lock is the lock of the lane, and of each referral in it. */
function recipientsOfRow(row: StepRow, { newUsers }: LookBack): RecipientKey[] {
  const { tenantId, newUserId } = row;
  const referrer = referrerOf(row);
  return newUsers ? [referrer, { tenantId, recipientId: newUserId }] : [referrer];
}

function referrerOf({ tenantId, referrerId }: LaneKey): RecipientKey {
  return { tenantId, recipientId: referrerId };
}

/**
 * The first revision that rewards new users came between looking who is to be locked and locking
 * them: everything is to be looked up and folded once more.
 */
export class LookedTooEarly extends Error {
  constructor() {
    super('a recipient of this change is not locked');
  }
}

/** What is to be folded: steps by fact, and for whom. */
function createWork(input: FoldInput) {
  const locked = new Set(input.recipients.map(recipientName));
  const steps = new Map<string, Step>();
  const touches = new Map<string, Touch>();
  return {
    steps,
    isLocked: (recipient: RecipientKey) => locked.has(recipientName(recipient)),
    touches: () => [...touches.values()],
    facts: () => distinct([...touches.values()], factName),
    touch({ tenantId, businessKey }: BusinessFact, recipients: readonly RecipientKey[]): void {
      for (const { recipientId } of recipients) {
        const touch = { tenantId, recipientId, businessKey };
        if (!locked.has(recipientName(touch))) throw new LookedTooEarly();
        touches.set(JSON.stringify([tenantId, recipientId, businessKey]), touch);
      }
    },
  };
}

type Work = ReturnType<typeof createWork>;

/** Steps whose tier is another now join the work. */
function* foldTiers(
  { changes }: FoldInput,
  again: readonly Step[],
  lookBackOf: LookBackOf,
  work: Work,
): Dialogue<Map<string, Boundaries>> {
  const users = new Map<string, LaneKey & { users: Set<string> }>();
  const note = (row: StepRow, isChanged: boolean) => {
    if (lookBackOf(row).thresholds.length === 0) return;
    const lane = users.get(laneName(row)) ?? { ...laneOf(row), users: new Set<string>() };
    if (isChanged && row.isPurchase) lane.users.add(row.newUserId);
    users.set(laneName(row), lane);
  };
  rowsOf(changes).forEach((row) => note(row, true));
  // The tiers of a lane are its referrer's: a new user who is folded again looks at none.
  again.filter((row) => work.isLocked(referrerOf(row))).forEach((row) => note(row, false));
  if (users.size === 0) return new Map();
  const lanes = [...users.values()];
  const answers = yield* ask(
    'boundaries',
    lanes.map(({ users, ...lane }) => {
      const { thresholds } = lookBackOf(lane);
      return { ...lane, thresholds, newUserIds: [...users] };
    }),
  );
  const ranges = lanes.flatMap((lane, i) => {
    const { before, after } = answers[i] ?? { before: new Map(), after: new Map() };
    return movedRanges(before, after).map((range) => ({ ...laneOf(lane), ...range }));
  });
  if (ranges.length > 0) {
    for (const claim of yield* ask('stepsBetween', ranges)) {
      const step = stepOf(claim);
      if (!step) continue;
      work.touch(step, [referrerOf(step)]);
      work.steps.set(factName(step), step);
    }
  }
  return new Map(lanes.map((lane, i) => [laneName(lane), answers[i]?.after ?? new Map()]));
}

/** Other facts of a changed referral join the work, where their rule limits it. */
function* foldReferrals(
  { changes }: FoldInput,
  lookBackOf: LookBackOf,
  work: Work,
): Dialogue<Map<string, Referral>> {
  const changed = rowsOf(changes).filter((row) => lookBackOf(row).referrals);
  const names = new Set(changed.map(referralName));
  const looking = [...work.steps.values()].filter(limitsReferrals);
  const keys = distinct<ReferralKey>([...changed, ...looking], referralName);
  if (keys.length === 0) return new Map();
  const claims = yield* ask('stepsOfReferrals', keys);
  const steps = Map.groupBy(
    claims.flatMap((claim) => stepOf(claim) ?? []),
    referralName,
  );
  const added = changes.flatMap(({ before, after }) => (after && !before ? [after] : []));
  const replaced = changes
    .flatMap(({ before, after }) => (before ? [before, after ?? []] : []))
    .flat();
  const altered = new Set(replaced.map(referralName));
  const addedTo = Map.groupBy(added, referralName);
  for (const name of names) {
    const all = steps.get(name) ?? [];
    if (!altered.has(name) && growsAtItsEnd(all, addedTo.get(name) ?? [])) continue;
    for (const step of all.filter(limitsReferrals)) {
      work.touch(step, recipientsOfRow(step, lookBackOf(step)));
      work.steps.set(factName(step), step);
    }
  }
  return new Map([...steps].map(([name, all]) => [name, referralOf(all)]));
}

/**
 * A fact is limited by those before it, so one that comes behind all others changes none of them.
 */
function growsAtItsEnd(all: readonly Step[], added: readonly Step[]): boolean {
  const facts = new Set(added.map(factName));
  const others = all.filter((step) => !facts.has(factName(step)));
  return added.every((step) => others.every((other) => other.sortKey < step.sortKey));
}

function limitsReferrals({ revision }: Step): boolean {
  return revision.rules.some(
    ({ limits }) => limits?.firstPurchases !== undefined || limits?.months !== undefined,
  );
}

/** A step that cannot be applied fails for those it concerns, and for nobody else. */
function candidatesOfTouches(
  work: Work,
  boundaries: ReadonlyMap<string, Boundaries>,
  referrals: ReadonlyMap<string, Referral>,
  failures: Map<string, unknown>,
): CandidateReward[] {
  const byFact = Map.groupBy(work.touches(), factName);
  return [...work.steps]
    .flatMap(([fact, step]) => {
      const touches = byFact.get(fact) ?? [];
      const wanted = new Set(touches.map((touch) => touch.recipientId));
      const past = {
        referral: referrals.get(referralName(step)) ?? unlimited,
        boundaries: boundaries.get(laneName(step)) ?? new Map<number, string>(),
      };
      try {
        return candidatesOf(step, past).filter((candidate) => wanted.has(candidate.recipientId));
      } catch (error) {
        for (const touch of touches) failures.set(recipientName(touch), error);
        return [];
      }
    })
    .filter((candidate) => !failures.has(recipientName(candidate)));
}

/** Limits are looked at where any revision of a campaign that is concerned has some. */
function isLimited(input: FoldInput, again: readonly Step[], lookBackOf: LookBackOf): boolean {
  return (
    input.touches.length > 0 ||
    [...rowsOf(input.changes), ...again].some((row) => lookBackOf(row).limited)
  );
}

export function holderChange(
  fact: BusinessFact,
  before: StepRow | undefined,
  claims: readonly Claim[],
): FactChange {
  const after = holderOf(claims);
  return {
    tenantId: fact.tenantId,
    businessKey: fact.businessKey,
    claims,
    ...(before && { before }),
    ...(after && { after }),
  };
}

function laneOf({ tenantId, campaignId, referrerId }: LaneKey): LaneKey {
  return { tenantId, campaignId, referrerId };
}

function distinct<T>(items: readonly T[], nameOf: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [nameOf(item), item])).values()];
}
