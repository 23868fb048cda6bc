import { grantInOrder } from './apply-caps.ts';
import { seriesOf, seriesText } from './cap-counter.ts';
import { type Referral, referralOf } from './referral.ts';
import { type Claim, holderOf, laneName, referralName, type Step } from './step.ts';
import { type Target, targetOf } from './target.ts';
import { type Boundaries, boundariesOf, thresholdsOf } from './tiers.ts';
import { candidatesOf } from './candidate-reward.ts';

/**
 * What everybody is entitled to, from nothing but the current decisions and the revisions they
 * name: the definition (design 4, promise 4). What a service does with each arrival must come to
 * the same, see `fold-changes.ts`.
 *
 * With a recipient: what that one is entitled to, for which the claims that credit them as referrer
 * or are about them as new user are enough, of one tenant.
 */
export function foldClaims(claims: readonly Claim[], recipientId?: string): Target[] {
  const facts = Map.groupBy(claims, ({ decision }) =>
    JSON.stringify([decision.tenantId, decision.businessKey]),
  );
  const steps = [...facts.values()].flatMap((rivals) => holderOf(rivals) ?? []);
  const referrals = mapValues(Map.groupBy(steps, referralName), referralOf);
  const lanes = mapValues(Map.groupBy(steps, laneName), laneBoundaries);
  const candidates = steps.flatMap((step) =>
    candidatesOf(
      step,
      {
        referral: referrals.get(referralName(step)) as Referral,
        boundaries: lanes.get(laneName(step)) as Boundaries,
      },
      recipientId,
    ),
  );
  return [
    ...Map.groupBy(candidates, (candidate) => seriesText(seriesOf(candidate))).values(),
  ].flatMap((series) => {
    const grants = grantInOrder(series, new Map());
    return series.flatMap((candidate) => {
      const grant = grants.get(candidate.rewardId);
      return grant ? targetOf(candidate, grant) : [];
    });
  });
}

function laneBoundaries(steps: readonly Step[]): Boundaries {
  const revisions = new Set(steps.map((step) => step.revision));
  return boundariesOf(steps, [...revisions].flatMap(thresholdsOf));
}

function mapValues<V, W>(map: Map<string, V>, to: (value: V) => W): Map<string, W> {
  return new Map([...map].map(([key, value]) => [key, to(value)]));
}
