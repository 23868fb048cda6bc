import { topics as topicTable } from '@tributary/contracts/topics';
import type { Evidence } from '../evidence.ts';
import { objectsOf } from './money.ts';
import { createVerdict, type Verdict } from './verdict.ts';

/** Users and codes of this load are named `mx.<tenant>.<what>`. */
const ownName = /\bmx\.([A-Za-z0-9_-]+)\./g;

type Owned = { tenantId?: unknown };

/**
 * Whatever is one customer's names no user of another: records, rows and webhooks. And who asks for
 * what is another's gets nothing of it.
 */
export function tenantsAreApart(evidence: Evidence): Verdict {
  const { verdict, judge } = createVerdict();
  for (const [topic, records] of Object.entries(evidence.topics)) {
    for (const record of objectsOf<Owned>(records)) {
      if (typeof record.tenantId !== 'string') continue;
      judge(foreignIn(`a record of ${topic}`, record.tenantId, JSON.stringify(record)));
    }
  }
  for (const [table, rows] of Object.entries(evidence.tables)) {
    for (const row of rows) {
      const tenantId = row['tenant_id'];
      if (typeof tenantId !== 'string') continue;
      judge(foreignIn(`a row of ${table}`, tenantId, JSON.stringify(row)));
    }
  }
  for (const { tenantId, path, answer = '' } of evidence.explanations ?? []) {
    judge(foreignIn(`the answer to ${path}`, tenantId, answer));
  }
  for (const { tenantId, body } of evidence.webhooks) judge(foreignIn('a webhook', tenantId, body));
  for (const request of evidence.requests) {
    const { by, tenantId, path, outcome, status, answer = '' } = request;
    if (by !== 'operator') judge(foreignIn(`the answer to ${path}`, tenantId, answer));
    const isForeign = by === 'probe' || request.proof === 'wrong';
    if (isForeign && outcome === 'ok') judge(`${tenantId} got ${status} for ${path}`);
  }
  return verdict;
}

function foreignIn(what: string, tenantId: string, text: string): string | undefined {
  const other = [...text.matchAll(ownName)].find(([, named]) => named !== tenantId);
  return other === undefined ? undefined : `${what} of ${tenantId} names ${other[0]}: ${text}`;
}

/** Where e-mails and names are kept, and nowhere else. */
const topicOfPeople = topicTable.people.name;

/**
 * E-mails and names of referred people are in the topic made for them, and in no other topic, no
 * table of events, decisions or money, no webhook, no log line and no refusal. Secrets are nowhere.
 */
export function canariesAreNowhere(evidence: Evidence): Verdict {
  const { verdict, judge, breaks } = createVerdict();
  const { personalCanary, secrets } = evidence.row;
  const forbidden = [personalCanary, ...secrets];
  const places: [string, Iterable<string>][] = [
    ...Object.entries(evidence.topics)
      .filter(([topic]) => topic !== topicOfPeople)
      .map(([topic, records]): [string, Iterable<string>] => [
        `topic ${topic}`,
        records.map(({ key, value }) => `${key} ${value}`),
      ]),
    ...Object.entries(evidence.tables).map(([table, rows]): [string, Iterable<string>] => [
      `table ${table}`,
      rows.map((row) => JSON.stringify(row)),
    ]),
    ...Object.entries(evidence.logs).map(([name, text]): [string, Iterable<string>] => [
      `log ${name}`,
      text.split('\n'),
    ]),
    ['a webhook', evidence.webhooks.map(({ body }) => body)],
    ['an answer', evidence.requests.map(({ answer = '' }) => answer)],
  ];
  for (const [place, texts] of places) {
    for (const text of texts) {
      if (text === '') continue;
      const leaked = forbidden.filter((secret) => text.includes(secret));
      judge(leaked.length > 0 ? `${place} has a canary or a secret: ${text}` : undefined);
    }
  }
  // An operator is told names there.
  for (const { answer = '' } of evidence.explanations ?? []) {
    const isLeak = secrets.some((secret) => answer.includes(secret));
    judge(isLeak ? `an explanation has a secret: ${answer}` : undefined);
  }
  const people = evidence.topics[topicOfPeople] ?? [];
  // Otherwise nobody has sent one, and finding none says nothing.
  if (!people.some(({ value }) => value?.includes(personalCanary))) {
    breaks(`no canary is on ${topicOfPeople}: none was sent`);
  }
  return verdict;
}
