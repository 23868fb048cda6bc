import type {
  Account,
  Explanation,
  IssuedWithoutReward,
  Person,
  Subject,
} from '../../domain/explain/story.ts';
import { recipientBalance } from './balances.ts';
import { findStories } from './find-stories.ts';
import { issuancesWithoutReward, withDeliveries } from './list-issuances.ts';
import { listRewards } from './list-rewards.ts';
import { codesOfUser, findPeople } from './lookups.ts';
import type { Queryable } from './queryable.ts';

const accountRewards = 20;
const accountIssuances = 20;

/**
 * Undefined when nothing of the tenant has this id. `readTo` is up to when everything was read;
 * without it, nothing is said about rewards that no longer exist: they may not have been read yet.
 */
export async function explain(
  db: Queryable,
  tenantId: string,
  subject: Subject,
  readTo?: string,
): Promise<Explanation | undefined> {
  const { stories, truncated } = await findStories(db, tenantId, subject);
  const issuedWithoutReward =
    readTo === undefined
      ? undefined
      : await findIssuedWithoutReward(db, tenantId, { ...subject, readTo });
  const account = subject.kind === 'user' ? await findAccount(db, tenantId, subject.id) : undefined;
  const isNothing = account === undefined && issuedWithoutReward === undefined;
  if (stories.length === 0 && isNothing) return undefined;
  const explanation = { tenantId, subject, stories, truncated, account, issuedWithoutReward };
  return { ...explanation, people: await peopleOf(db, explanation) };
}

/** Undefined for who neither refers nor earned anything. */
async function findAccount(
  db: Queryable,
  tenantId: string,
  userId: string,
): Promise<Account | undefined> {
  const codes = await codesOfUser(db, tenantId, userId);
  const page = { limit: accountRewards, after: undefined };
  const { items } = await listRewards(db, tenantId, { recipient: userId }, page);
  const { total } = await recipientBalance(db, tenantId, userId);
  if (codes.length === 0 && items.length === 0 && total.issued === '0') return undefined;
  return { codes, balance: total, rewards: items.map(({ reward, open }) => ({ ...reward, open })) };
}

async function findIssuedWithoutReward(
  db: Queryable,
  tenantId: string,
  { kind, id, readTo }: Subject & { readTo: string },
): Promise<IssuedWithoutReward | undefined> {
  if (kind !== 'user' && kind !== 'reward') return undefined;
  const of = kind === 'user' ? { recipientId: id } : { rewardId: id };
  const limit = accountIssuances;
  const found = await issuancesWithoutReward(db, tenantId, { ...of, readTo, limit });
  const [first] = found;
  if (first === undefined) return undefined;
  const issued = found.map(({ issuance }) => issuance);
  const issuances = await withDeliveries(db, tenantId, issued);
  return { credits: first.total, count: first.count, issuances };
}

function peopleOf(
  db: Queryable,
  { tenantId, subject, stories, issuedWithoutReward }: Omit<Explanation, 'people'>,
): Promise<Person[]> {
  const ids = stories.flatMap(({ fact, decision, rewards }) => [
    fact?.newUser.id ?? decision?.newUserId ?? '',
    decision?.referrerId ?? '',
    ...rewards.map(({ reward }) => reward.recipientId),
  ]);
  if (subject.kind === 'user') ids.push(subject.id);
  for (const { issuance } of issuedWithoutReward?.issuances ?? []) ids.push(issuance.recipientId);
  return findPeople(db, tenantId, [...new Set(ids)]);
}
