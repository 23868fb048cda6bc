import type {
  Account,
  Explanation,
  IssuedWithoutReward,
  Person,
  Story,
  Subject,
} from '../../domain/explain/story.ts';
import { recipientBalance } from './balances.ts';
import { findStories } from './find-stories.ts';
import { deliveriesOfIssuances, issuancesWithoutReward } from './list-issuances.ts';
import { listRewards } from './list-rewards.ts';
import { codesOfUser, findPeople } from './lookups.ts';
import type { Queryable } from './queryable.ts';

const accountRewards = 20;
const accountIssuances = 20;

/** Undefined when nothing of the tenant has this id. */
export async function explain(
  db: Queryable,
  tenantId: string,
  subject: Subject,
): Promise<Explanation | undefined> {
  const { stories, truncated } = await findStories(db, tenantId, subject);
  const issuedWithoutReward = await findIssuedWithoutReward(db, tenantId, subject);
  const account =
    subject.kind === 'user'
      ? await findAccount(db, tenantId, subject.id, issuedWithoutReward !== undefined)
      : undefined;
  const isNothing = account === undefined && issuedWithoutReward === undefined;
  if (stories.length === 0 && isNothing) return undefined;
  const people = await peopleOf(db, tenantId, stories, subject);
  return { tenantId, subject, stories, truncated, people, account, issuedWithoutReward };
}

/** Undefined for who neither refers nor earned anything. */
async function findAccount(
  db: Queryable,
  tenantId: string,
  userId: string,
  wasIssuedMore: boolean,
): Promise<Account | undefined> {
  const codes = await codesOfUser(db, tenantId, userId);
  const page = { limit: accountRewards, after: undefined };
  const { items } = await listRewards(db, tenantId, { recipient: userId }, page);
  if (codes.length === 0 && items.length === 0 && !wasIssuedMore) return undefined;
  const { total } = await recipientBalance(db, tenantId, userId);
  return { codes, balance: total, rewards: items.map(({ reward, open }) => ({ ...reward, open })) };
}

async function findIssuedWithoutReward(
  db: Queryable,
  tenantId: string,
  { kind, id }: Subject,
): Promise<IssuedWithoutReward | undefined> {
  if (kind !== 'user' && kind !== 'reward') return undefined;
  const of = kind === 'user' ? { recipientId: id } : { rewardId: id };
  const found = await issuancesWithoutReward(db, tenantId, of, accountIssuances);
  const [first] = found;
  if (first === undefined) return undefined;
  const ids = found.map(({ issuance }) => issuance.issuanceId);
  const deliveries = await deliveriesOfIssuances(db, tenantId, ids);
  const issuances = found.map(({ issuance }) => ({
    issuance,
    deliveries: deliveries.filter(({ issuanceId }) => issuanceId === issuance.issuanceId),
  }));
  return { credits: first.total, issuances };
}

function peopleOf(
  db: Queryable,
  tenantId: string,
  stories: readonly Story[],
  subject: Subject,
): Promise<Person[]> {
  const ids = stories.flatMap(({ fact, decision, rewards }) => [
    fact?.newUser.id ?? decision?.newUserId ?? '',
    decision?.referrerId ?? '',
    ...rewards.map(({ reward }) => reward.recipientId),
  ]);
  if (subject.kind === 'user') ids.push(subject.id);
  return findPeople(db, tenantId, [...new Set(ids)]);
}
