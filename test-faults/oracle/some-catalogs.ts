import { catalogSchemaVersion } from '@tributary/contracts/catalog-record';
import type { CampaignRevisionRecord, TenantRecord } from '@tributary/contracts/catalog-record';
import { always } from '@tributary/contracts/revision-in-force';
import fc from 'fast-check';
import { dayText, logTimes, mostly, noon } from './moments.ts';
import { campaignIds, type Flavour } from './names.ts';
import { campaignRules, ruleStyles } from './rules.ts';

export function tenantVersions(tenantId: string, flavour: Flavour): fc.Arbitrary<TenantRecord[]> {
  if (flavour.attribution === 'plain') return fc.constant([]);
  return fc
    .array(
      fc.record({
        mode: fc.constantFrom('first-code', 'first-code', 'event-code', undefined),
        publishedAt: logTimes,
        repeatHours: fc.constantFrom(undefined, undefined, 1, 48, 720),
      }),
      { maxLength: 3 },
    )
    .map((versions) =>
      versions
        .sort((a, b) => (a.publishedAt < b.publishedAt ? -1 : 1))
        .map(({ mode, publishedAt, repeatHours }, i) => ({
          schemaVersion: catalogSchemaVersion,
          entity: 'tenant' as const,
          ...{ tenantId, version: i + 1, publishedAt },
          ...{ name: 'a tenant', status: 'active' as const },
          ...{ productId: `p-${tenantId}`, defaultCampaignId: null },
          ...(mode !== undefined && { attributionMode: mode }),
          ...(repeatHours !== undefined && { legacyRepeatHours: repeatHours }),
        })),
    );
}

export function campaigns(
  tenantId: string,
  flavour: Flavour,
): fc.Arbitrary<CampaignRevisionRecord[]> {
  const [first, second] = campaignIds.map((campaignId) => revisions(tenantId, campaignId, flavour));
  return fc.tuple(first!, second!).map((both) => both.flat());
}

function revisions(
  tenantId: string,
  campaignId: string,
  flavour: Flavour,
): fc.Arbitrary<CampaignRevisionRecord[]> {
  const isTricky = flavour.attribution === 'tricky';
  const settings = fc.record({
    status: isTricky ? mostly(['running'] as const, ['stopped'] as const) : running,
    effectiveFrom: isTricky ? fc.oneof(sinceAlways, sinceAlways, logTimes) : sinceAlways,
    publishedAt: mostly([dayText(-9, noon)], [dayText(1, noon)]),
    windowDays: isTricky ? fc.constantFrom(undefined, 1, 7, 30) : fc.constant(undefined),
    loops: isTricky
      ? fc.constantFrom(undefined, 'reject', 'review', 'allow')
      : fc.constant('allow' as const),
    existing: isTricky ? fc.constantFrom(undefined, 'include', 'exclude') : fc.constant(undefined),
    matching: fc.constantFrom(undefined, 'all', 'first'),
    creditScale: fc.constantFrom(2, 0, 1, 6),
    rules: campaignRules(ruleStyles[flavour.rules]),
    later: logTimes,
  });
  return fc
    .array(settings, { minLength: isTricky && campaignId !== 'c1' ? 0 : 1, maxLength: 3 })
    .map((all) =>
      all.map((revision, i) => ({
        schemaVersion: catalogSchemaVersion,
        entity: 'campaign-revision' as const,
        ...{ tenantId, version: 1, publishedAt: revision.publishedAt, campaignId, revision: i + 1 },
        ...{ name: 'a campaign', status: revision.status, landingUrl: 'https://example.com/' },
        effectiveFrom: i === 0 ? revision.effectiveFrom : revision.later,
        ...{ creditScale: revision.creditScale, rules: revision.rules },
        ...(revision.windowDays !== undefined && { attributionWindowDays: revision.windowDays }),
        ...(revision.loops !== undefined && { referralLoops: revision.loops }),
        ...(revision.existing !== undefined && { existingUsers: revision.existing }),
        ...(revision.matching !== undefined && { ruleMatching: revision.matching }),
      })),
    );
}

const running = fc.constant('running' as const);
const sinceAlways = fc.constant(always);
