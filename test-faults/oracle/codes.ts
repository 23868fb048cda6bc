import type {
  AttributionMode,
  CampaignRevisionRecord,
  TenantRecord,
} from '@tributary/contracts/catalog-record';
import type { CodeRecord } from '@tributary/contracts/code-record';
import { always } from '@tributary/contracts/revision-in-force';
import { lookUp } from './look-up.ts';
import { compare, type Rational } from './rational.ts';
import { addDays, decidedAt, instant, type Ordered, type World } from './world.ts';

/** The first publication of a code: whose it is, of which campaign, since when. */
export function issueOf(world: World, ucc: string): CodeRecord | undefined {
  return byCode(world.codes, ucc)
    .filter((record) => record.type === 'code-issued')
    .sort((a, b) => a.version - b.version)[0];
}

/** The first publications of all codes that are this user's. */
export function issuesTo(world: World, userId: string): CodeRecord[] {
  const codes = new Set(byOwner(world.codes, userId).map((record) => record.ucc));
  return [...codes]
    .map((ucc) => issueOf(world, ucc))
    .filter((issue) => issue?.productUserId === userId) as CodeRecord[];
}

const byCode = lookUp((record: CodeRecord) => [record.ucc]);
const byOwner = lookUp((record: CodeRecord) => [record.productUserId]);

export function ownerOf(world: World, ucc: string): string | undefined {
  return issueOf(world, ucc)?.productUserId;
}

/** Codes that come too late do not count (design 7, "Outcomes"). */
export function isInTime(issue: CodeRecord, receivedAt: string): boolean {
  const isDerived = /^[0-9A-Za-z]{11}$/.test(issue.ucc);
  const latest = addDays(instant(receivedAt), isDerived ? 30 : 1);
  return compare(instant(issue.at), latest) <= 0;
}

/**
 * By the highest version among its changes until then, also where a clock was wrong and they are
 * not in the order of their times (decision 23); a code is not disabled before anything was said of
 * it.
 */
export function isEnabled(world: World, ucc: string, at: string): boolean {
  const last = byCode(world.codes, ucc)
    .filter((record) => record.at <= at)
    .sort((a, b) => a.version - b.version)
    .at(-1);
  return last?.type !== 'code-disabled';
}

/** Undefined: since always. */
export function beginOf(revision: CampaignRevisionRecord): Rational | undefined {
  return revision.effectiveFrom === always ? undefined : instant(revision.effectiveFrom);
}

/** The latest to take effect by then; of equal ones the higher. */
export function revisionAt(
  world: World,
  campaignId: string,
  event: Ordered,
): CampaignRevisionRecord | undefined {
  return byCampaign(world.revisions, campaignId)
    .filter((revision) => compareBegin(beginOf(revision), decidedAt(world, event)) <= 0)
    .sort((a, b) => compareBegin(beginOf(a), beginOf(b)) || a.revision - b.revision)
    .at(-1);
}

/** When the first of the campaign's revisions takes effect. Undefined: never, or since always. */
export function startOf(world: World, campaignId: string): Rational | undefined {
  const begins = byCampaign(world.revisions, campaignId).map(beginOf);
  if (begins.includes(undefined)) return undefined;
  return begins.sort(compareBegin)[0];
}

const byCampaign = lookUp((revision: CampaignRevisionRecord) => [revision.campaignId]);

/** Which code attributes an event of that time. */
export function modeAt(world: World, event: Ordered): AttributionMode {
  return tenantAt(world, decidedAt(world, event))?.attributionMode ?? 'event-code';
}

/** How many hours after another an equal payment that is received then is a repeat of it. */
export function repeatHoursAt(world: World, receivedAt: string): number {
  return tenantAt(world, instant(receivedAt))?.legacyRepeatHours ?? 24;
}

/** A tenant's first record holds from always. */
function tenantAt(world: World, at: Rational): TenantRecord | undefined {
  return world.tenants
    .filter(({ version, publishedAt }) => version === 1 || compare(instant(publishedAt), at) <= 0)
    .sort((a, b) => a.version - b.version)
    .at(-1);
}

function compareBegin(a: Rational | undefined, b: Rational | undefined): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  return compare(a, b);
}
