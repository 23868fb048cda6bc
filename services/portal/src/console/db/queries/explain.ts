import type { Account, Explanation, Person, Story, Subject } from '../../domain/explain/story.ts';
import { recipientBalance } from './balances.ts';
import { findStories } from './find-stories.ts';
import { listRewards } from './list-rewards.ts';
import { codesOfUser, findPeople } from './lookups.ts';
import type { Queryable } from './queryable.ts';

const accountRewards = 20;

/** Undefined when nothing of the tenant has this id. */
export async function explain(
  db: Queryable,
  tenantId: string,
  subject: Subject,
): Promise<Explanation | undefined> {
  const { stories, truncated } = await findStories(db, tenantId, subject);
  const account = subject.kind === 'user' ? await findAccount(db, tenantId, subject.id) : undefined;
  if (stories.length === 0 && account === undefined) return undefined;
  const people = await peopleOf(db, tenantId, stories, subject);
  return { tenantId, subject, stories, truncated, people, account };
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
  if (codes.length === 0 && items.length === 0) return undefined;
  const { total } = await recipientBalance(db, tenantId, userId);
  return { codes, balance: total, rewards: items.map(({ reward, open }) => ({ ...reward, open })) };
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
