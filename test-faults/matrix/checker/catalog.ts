import { topics as topicTable } from '@tributary/contracts/topics';
import type { Evidence } from '../evidence.ts';
import { objectsOf } from './money.ts';
import { createVerdict, type Verdict } from './verdict.ts';

/** What names an entity of the catalog, which has some of it, and a code. */
const names = {
  catalog: [
    ...['entity', 'tenantId', 'accessKeyId', 'campaignId', 'revision', 'connectionId'],
    ...['domain', 'userId'],
  ],
  codes: ['tenantId', 'ucc'],
};

type Versioned = Record<string, unknown> & { version: number };
type Revision = Versioned & { rules: { effect: { basisPoints?: number } }[] };
type Campaign = Pick<Revision, 'rules'>;

/**
 * Whoever reads the catalog or the codes keeps the first record of a version: none was given twice,
 * with two contents, whatever became of the tables in which they are counted. And what an operator
 * was told is a revision has the rules that they gave.
 */
export function versionsAreGivenOnce({ topics, requests }: Evidence): Verdict {
  const { verdict, judge } = createVerdict();
  for (const name of ['catalog', 'codes'] as const) {
    const topic = topicTable[name].name;
    const records = objectsOf<Versioned>(topics[topic]).filter(({ version }) =>
      Number.isInteger(version),
    );
    const versions = Map.groupBy(records, (record) =>
      JSON.stringify([...names[name].flatMap((member) => record[member] ?? []), record.version]),
    );
    for (const [version, copies] of versions) {
      const contents = new Set(copies.map(contentOf));
      judge(contents.size > 1 ? `${topic} has ${contents.size} contents of ${version}` : undefined);
    }
  }
  const revisions = objectsOf<Revision>(topics[topicTable.catalog.name]).filter(
    ({ entity }) => entity === 'campaign-revision',
  );
  for (const { by, method, tenantId, path, body = '{}', answer = '{}', outcome } of requests) {
    const campaignId = /\/campaigns\/([^/]+)$/.exec(path)?.[1];
    if (by !== 'operator' || method !== 'PUT' || campaignId === undefined || outcome !== 'ok') {
      continue;
    }
    const { revision } = JSON.parse(answer) as { revision: number };
    const found = revisions.find(
      (one) =>
        one['tenantId'] === tenantId &&
        one['campaignId'] === campaignId &&
        one['revision'] === revision,
    );
    const put = shareOf(JSON.parse(body) as Campaign);
    const kept = found && shareOf(found);
    const what = `revision ${revision} of campaign ${campaignId} of ${tenantId}`;
    judge(put === kept ? undefined : `${what} was put with ${put}, and is on the log with ${kept}`);
  }
  return verdict;
}

/** The widget stamps a code anew each time that it appends it; its readers keep the first. */
function contentOf({ at, ...record }: Versioned): string {
  const isFirstOfCode = record['type'] === 'code-issued' && record.version === 1;
  return JSON.stringify(isFirstOfCode ? record : { ...record, at });
}

/** What operators change from revision to revision (tenants.ts). */
function shareOf({ rules }: Campaign): string {
  return `a share of ${rules[0]?.effect.basisPoints} basis points`;
}
