import { isRunning } from '@tributary/contracts/active-code';
import type { CampaignConfigAnswer } from '@tributary/contracts/public/campaign-config';
import type { CampaignRevisionRecord, TenantRecord } from '@tributary/contracts/catalog-record';
import type { CatalogView } from '@tributary/http/catalog-view';
import type { Clock } from '@tributary/runtime/clock';
import { createBriefCache } from './brief-cache.ts';
import type { OwnedCode } from '../domain/choose-invite.ts';
import { type KnownName, shownName } from '../domain/shown-name.ts';

/** What a page may know of the code in its address; `{}` for whoever is not to know. */
export type FindCampaignConfig = (asked: {
  origin: string;
  ucc: string;
  productId: string | undefined;
}) => Promise<CampaignConfigAnswer>;

/**
 * Answers for pages at registered domains only (interface 4.7 rule 6). Pages are public and many,
 * so what is asked for again within five seconds is not looked up again. What is not found is
 * looked up once more when the log was read to its end: it may have been registered or issued a
 * moment ago (docs/decisions/0022).
 */
export function createFindCampaignConfig(options: {
  environment: 'prod' | 'sandbox';
  catalog: Pick<CatalogView, 'changes' | 'tenantsOfOrigin' | 'campaignInForce' | 'widgetSettings'>;
  findCode: (tenantId: string, ucc: string) => Promise<OwnedCode | undefined>;
  personOf: (tenantId: string, userId: string) => Promise<KnownName | undefined>;
  /** Reads codes and catalog up to their ends. */
  becomeCurrent: () => Promise<unknown>;
  clock: Clock;
}): FindCampaignConfig {
  const { environment, catalog, findCode, personOf, becomeCurrent, clock } = options;
  const kept = { keepMs, maxEntries, nowMs: () => performance.now() };
  const referrers = createBriefCache<Promise<Referrer | undefined>>(kept);
  // Each look is at every domain that there is; kept until the catalog changes.
  const tenantsByOrigin = createBriefCache<TenantRecord[]>(kept);

  return async (asked) => {
    const kept = (tenantId: string, ucc: string) => {
      const key = JSON.stringify([tenantId, ucc]);
      return referrers(key, () => findReferrer(tenantId, ucc));
    };
    const answer = await find(asked, kept);
    if (answer !== undefined) return answer;
    await becomeCurrent();
    return (await find(asked, findReferrer)) ?? {};
  };

  async function find(
    { origin, ucc, productId }: Parameters<FindCampaignConfig>[0],
    referrerOf: typeof findReferrer,
  ): Promise<FoundConfig | undefined> {
    const key = JSON.stringify([catalog.changes(), origin]);
    const there = tenantsByOrigin(key, () => catalog.tenantsOfOrigin(origin, environment));
    const tenant = tenantAmong(there, productId);
    if (tenant === undefined) return undefined;
    const { tenantId } = tenant;
    const referrer = await referrerOf(tenantId, ucc);
    if (referrer?.code.status !== 'issued') return undefined;
    const campaign = catalog.campaignInForce(tenantId, referrer.code.campaignId, clock.now());
    if (!isRunning(campaign)) return undefined;
    const { referrerName: shown } = catalog.widgetSettings(tenantId);
    const referrerName = shownName(referrer.person, shown);
    return {
      campaignConfig: configOf(campaign),
      ...(referrerName !== undefined && { referrerName }),
      windowDays: windowDaysOf(campaign),
    };
  }

  async function findReferrer(tenantId: string, ucc: string): Promise<Referrer | undefined> {
    const code = await findCode(tenantId, ucc);
    return code && { code, person: await personOf(tenantId, code.productUserId) };
  }
}

/** Everything but the name is there whenever a campaign is. */
type FoundConfig = CampaignConfigAnswer & Required<Pick<CampaignConfigAnswer, 'campaignConfig'>>;

type Referrer = { code: OwnedCode; person: KnownName | undefined };

const keepMs = 5_000;
const maxEntries = 10_000;

/** By the product in the address; where none is named, the origin must leave no doubt. */
function tenantAmong(
  tenants: readonly TenantRecord[],
  productId: string | undefined,
): TenantRecord | undefined {
  if (productId !== undefined) return tenants.find((tenant) => tenant.productId === productId);
  return tenants.length === 1 ? tenants[0] : undefined;
}

/** Browsers keep no cookie for longer than 400 days. */
const maxWindowDays = 400;
const defaultWindowDays = 90;

function windowDaysOf({ attributionWindowDays = defaultWindowDays }: CampaignRevisionRecord) {
  return Math.min(attributionWindowDays, maxWindowDays);
}

function configOf(campaign: CampaignRevisionRecord): FoundConfig['campaignConfig'] {
  const { campaignId, newUserDiscountMonth, newUserDiscountBasisPoints: points } = campaign;
  return {
    campaignId,
    ...(newUserDiscountMonth !== undefined && { newUserDiscountMonth }),
    ...(points !== undefined && { newUserDiscountPercentage: points / 10_000 }),
  };
}
