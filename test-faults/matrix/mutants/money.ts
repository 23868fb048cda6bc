import type { Mutant } from './mutant.ts';

const domain = 'packages/rewards-fold/src/domain';

/** What a decision is worth, and what is paid of it. */
export const money: readonly Mutant[] = [
  {
    name: 'refund-takes-nothing-back',
    breaks: 'a refund is noted, and the reward for its purchase stays as it is',
    ...{ row: 'flush-redis', promises: [8], file: `${domain}/terms.ts` },
    from: 'if (!purchase) return [];',
    to: 'if (!purchase || reversals.length > 0) return [];',
  },
  {
    name: 'float-credits',
    breaks: 'a share of an amount is calculated with floats',
    ...{ row: 'flush-redis', promises: [8], file: `${domain}/effect.ts` },
    from: 'return roundTo(scale, numerator, 10_000n * 10n ** BigInt(exponent));',
    to: `const share = (Number(numerator) / 1e6 / 1e4 / 10 ** exponent) * 10 ** scale;
      return BigInt(Math.round(share)) * 10n ** BigInt(6 - scale);`,
  },
  {
    name: 'limit-ignored',
    breaks: 'a recipient gets more in a month than the rule allows',
    ...{ row: 'flush-redis', promises: [8], file: `${domain}/apply-caps.ts` },
    from: 'if (granted <= most) return undefined;',
    to: 'if (granted <= most || most >= 0n) return undefined;',
  },
  {
    name: 'reward-not-published',
    breaks: 'of rewards that change together the first one is not published',
    ...{ row: 'flush-redis', promises: [4] },
    file: 'services/rewards/src/fold/write-changes.ts',
    from: 'await inOneTurn([writeRecipientChanges(tx, changes), enqueue(tx, published)]);',
    to: 'await inOneTurn([writeRecipientChanges(tx, changes), enqueue(tx, published.slice(1))]);',
  },
  {
    name: 'reduction-not-booked',
    breaks: 'the ledger keeps what a refund has taken from a reward',
    ...{ row: 'flush-redis', promises: [5], file: `${domain}/ledger.ts` },
    from: '.filter(([, credits]) => credits !== 0n)',
    to: '.filter(([, credits]) => credits > 0n)',
  },
  {
    name: 'hold-shortened',
    breaks: 'a hold of days lasts as many seconds',
    ...{ row: 'flush-redis', promises: [8], file: `${domain}/candidate-reward.ts` },
    from: 'Date.parse(receivedAt) + holdDays * 86_400_000',
    to: 'Date.parse(receivedAt) + holdDays * 1_000',
  },
  {
    name: 'hold-ends-by-own-clock',
    breaks: 'holds end by the clock of the process, however wrong it is (undoes decision 28)',
    ...{ row: 'clock-rewards', promises: [5], file: 'services/rewards/src/db/clock-check.ts' },
    from: 'if (wrong.length === 0) return { now };',
    to: 'if (wrong.length < 3) return { now: new Date() };',
  },
  {
    name: 'issued-twice',
    breaks: 'what a reward is worth is issued a second time, under another id',
    ...{ row: 'flush-redis', promises: [5], file: `${domain}/plan-release.ts` },
    from: '      plan.settle(reward, open - netted, netted);',
    to: `      plan.settle(reward, open - netted, netted);
      plan.correct(after.get(reward.rewardId) ?? reward, open - netted);`,
  },
  {
    name: 'debt-not-netted',
    breaks: 'a release issues all of a reward to who owes what a refund took back',
    ...{ row: 'flush-redis', promises: [5], file: `${domain}/plan-release.ts` },
    from: 'let owing = balance < 0n ? -balance : 0n;',
    to: 'let owing = 0n;',
  },
  {
    name: 'withheld-and-paid',
    breaks: 'a reward that an operator withholds is released',
    ...{ row: 'flush-redis', promises: [5], file: `${domain}/operator-action.ts` },
    from: 'action: action.type,',
    to: "action: 'released',",
  },
  {
    name: 'debt-not-told',
    breaks: 'an explanation leaves out that the recipient still owes what a refund took',
    ...{ row: 'flush-redis', promises: [5] },
    file: 'services/portal/src/console/domain/explain/reward-lines.ts',
    from: 'const owes = isPositive(recipientOwes);',
    to: "const owes = isPositive(recipientOwes) && open[0]?.as !== 'excess';",
  },
  {
    name: 'capped-is-reversed',
    breaks: 'a reward that a limit left no room for is shown as if it had been taken back',
    ...{ row: 'flush-redis', promises: [5], file: 'packages/contracts/src/reward-state.ts' },
    from: "reward.state === 'reversed' && isCapped(reward) ? 'capped' : reward.state;",
    to: 'reward.state;',
  },
  {
    name: 'gone-not-explained',
    breaks: 'nothing explains what was issued for a reward that no longer exists',
    ...{ row: 'cut-log', promises: [5] },
    file: 'services/portal/src/console/db/queries/list-issuances.ts',
    from: '       and not exists (select from reward where',
    to: '       and false and not exists (select from reward where',
  },
];
