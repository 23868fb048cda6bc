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
  const [was, is] = [linesOf(before), linesOf(after)];
  const line = was.findIndex((text, i) => text !== is[i]);
  if (line >= 0) return `text, line ${line + 1}: "${was[line]}", now "${is[line] ?? ''}"`;
  return was.length < is.length ? `text: new line "${is[was.length]}"` : undefined;
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
