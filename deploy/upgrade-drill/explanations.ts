import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type AdminClient, AdminApiError } from '../demo/admin-client.ts';

/** What `explain` says of one event, as records and in sentences. */
export type Explanation = { stories: readonly unknown[]; text: string };

export async function readExplanations(
  admin: AdminClient,
  eventIds: readonly string[],
): Promise<Map<string, Explanation>> {
  const found = new Map<string, Explanation>();
  const rest = [...eventIds];
  const lane = async () => {
    for (let id = rest.pop(); id !== undefined; id = rest.pop()) {
      found.set(id, await readExplanation(admin, id));
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  return found;
}

/** Asks again until the read model has come to the event. */
async function readExplanation(admin: AdminClient, eventId: string): Promise<Explanation> {
  const deadline = Date.now() + 120_000;
  for (;;) {
    try {
      const path = `/api/explain?event=${eventId}`;
      const { stories, text } = await admin.call<Explanation>('GET', path);
      return { stories, text };
    } catch (error) {
      if (!(error instanceof AdminApiError) || Date.now() > deadline) throw error;
    }
    await delay(250);
  }
}

/** Reads them until two readings in a row say the same. */
export async function settledExplanations(
  admin: AdminClient,
  eventIds: readonly string[],
): Promise<Map<string, Explanation>> {
  let before = await readExplanations(admin, eventIds);
  for (;;) {
    const now = await readExplanations(admin, eventIds);
    if (isDeepStrictEqual(before, now)) return now;
    before = now;
  }
}

/**
 * Where two explanations of an event differ; undefined where they say the same. A rebuild gives
 * numbers of versions anew and has no sentence on what was set off (docs/replay.md), and a record
 * may have members that the earlier release does not know.
 */
export function difference(before: Explanation, after: Explanation): string | undefined {
  const inRecords = firstDifference(before.stories, after.stories, 'stories');
  if (inRecords !== undefined) return inRecords;
  const [was, is] = [rephrase(linesOf(before)), linesOf(after)];
  const line = was.findIndex((text, i) => text !== is[i]);
  if (line >= 0) return `text, line ${line + 1}: "${was[line]}", now "${is[line] ?? ''}"`;
  return was.length < is.length ? `text: new line "${is[was.length]}"` : undefined;
}

/** Sentences that this release says in other words than releases before it. */
const rephrased: readonly [RegExp, string][] = [
  [/^(\s*)Gets (.*) next, as a correction/, '$1Will be issued $2 next, as a correction'],
  [/\bdelivered by attempt\b/, 'delivered on attempt'],
  [/^(.* \(.*\)); next at /, '$1; next attempt at '],
  [/\bno attempt is known yet\b/, 'no attempt has been recorded yet'],
  [/ are taken back so far, all of it\b/, ' have been taken back so far, which is all of it'],
  [/ are taken back so far\b/, ' have been taken back so far'],
  [/: takes nothing back, /, ': takes nothing back: '],
  [/\bwhat other refunds took\b(?! back)/, 'what other refunds took back'],
  [/^(\s*)What it took$/, '$1What it took back'],
  [/\bAlso reported, and not\b/, 'Also reported, but not'],
  [/^(\s*Ledger: .*\d) to come(?=[.;,])/, '$1 still to be issued'],
  [/^(\s*Ledger: .*\d) to come as a correction\b/, '$1 due as a correction'],
  [/^(\s*Ledger: .*)went into what the recipient owed/, '$1offset against what the recipient owed'],
  [/, which is netted first\b/, ', which is offset first'],
  [/\bin review, it waits for an operator\b/, 'in review, waiting for an operator'],
  [/\bmore wait in review for an operator\b/, 'more are in review, waiting for an operator'],
  [/\bmore are issued next\b/, 'more will be issued next'],
  [/\bheld; issued next\b/, 'held; will be issued next'],
  [/\bit, so it is issued next\b/, 'it, so it will be issued next'],
  [/\bwhat is not issued stays so\b/, 'what has not been issued stays withheld'],
  [/\bnothing of it is left to earn\b/, 'nothing of it is left'],
  [/\bcapped, nothing; /, 'capped; '],
  [
    /\bthe purchase that it reverses has not come\b/,
    'the purchase that it reverses has not arrived',
  ],
  [/\bthe user was there before\.$/, 'the user existed before.'],
  [/\btoo late after the first fact of the user\b/, 'too long after the first event of the user'],
  [/\breports the same and counts\b/, 'reports the same, and counts instead'],
  [
    /\bits endpoint could not be sent to until its time was over\b/,
    'its endpoint could not be reached in time',
  ],
  [/\bdeciding it failed\b/, 'the decision failed'],
  [/\battribution has not come to it\b/, 'attribution has not reached it'],
  [
    /\bDeciding it failed inside the service; it is tried again by itself\b/,
    'The decision failed inside the service; it is retried automatically',
  ],
  [/\bNothing is known of this event\b/, 'Nothing is known about this event'],
  [/\bthe rule names no credits for 1 (\S+)/, 'the rule has no credit rate for $1'],
];

function rephrase(lines: readonly string[]): string[] {
  return lines.map((line) =>
    rephrased.reduce((text, [before, now]) => text.replace(before, now), line),
  );
}

function linesOf({ text }: Explanation): string[] {
  return text
    .replaceAll(/\(version \d+\)/g, '(version …)')
    .split('\n')
    .filter(isKept);
}

/** Not the one sentence that only the past knows: what was owed when a reward was released. */
function isKept(item: unknown): boolean {
  const netted = /^\s*[\d.,]+ credits were netted against credits withdrawn after their issue\.$/;
  return typeof item !== 'string' || !netted.test(item);
}

const givenAnew = new Set(['version', 'decisionVersion', 'schemaVersion']);

function firstDifference(before: unknown, after: unknown, path: string): string | undefined {
  if (Array.isArray(before) && Array.isArray(after)) {
    const [was, is] = [before, after].map((items: unknown[]) => items.filter(isKept));
    if (was!.length !== is!.length) return `${path}: ${was!.length}, now ${is!.length}`;
    return firstOf(was!, (item, i) => firstDifference(item, is![i], `${path}[${i}]`));
  }
  if (isRecord(before) && isRecord(after)) {
    const members = Object.entries(before).filter(([name]) => !givenAnew.has(name));
    return firstOf(members, ([name, value]) =>
      firstDifference(value, after[name], `${path}.${name}`),
    );
  }
  if (Object.is(before, after)) return undefined;
  return `${path}: ${JSON.stringify(before)}, now ${JSON.stringify(after)}`;
}

function firstOf<T>(items: readonly T[], find: (item: T, index: number) => string | undefined) {
  for (const [i, item] of items.entries()) {
    const found = find(item, i);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
