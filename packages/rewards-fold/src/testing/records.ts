import {
  type CampaignRevisionRecord,
  catalogSchemaVersion,
} from '@tributary/contracts/catalog-record';
import { type DecisionRecord, decisionSchemaVersion } from '@tributary/contracts/decision-record';
import { purchaseBusinessKey, signupBusinessKey } from '@tributary/contracts/business-key';
import { derivedId } from '@tributary/contracts/derived-id';

/** Builders of the records that rewards reads; every member has a plain default. */
export function revisionOf(
  overrides: Partial<CampaignRevisionRecord> = {},
): CampaignRevisionRecord {
  return {
    schemaVersion: catalogSchemaVersion,
    entity: 'campaign-revision',
    tenantId: 't1',
    version: 1,
    publishedAt: '2026-01-01T00:00:00.000Z',
    campaignId: 'c1',
    revision: 1,
    name: 'Spring',
    status: 'running',
    effectiveFrom: '2026-01-01T00:00:00.000Z',
    landingUrl: 'https://example.com/join',
    creditScale: 2,
    rules: [
      {
        ruleId: 'purchase',
        trigger: 'purchase-created',
        recipient: 'referrer',
        effect: { kind: 'fixed', credits: '10' },
      },
      {
        ruleId: 'signup',
        trigger: 'signup-created',
        recipient: 'referrer',
        effect: { kind: 'fixed', credits: '2.50' },
      },
    ],
    ...overrides,
  };
}

/** The attributed decision on purchase number `n` of tenant t1, by default of invoice `inv_n`. */
export function purchaseDecision(
  n: number,
  { invoice = n, ...overrides }: Partial<DecisionRecord> & { invoice?: number } = {},
): DecisionRecord {
  const tenantId = overrides.tenantId ?? 't1';
  const invoiceId = `inv_${invoice}`;
  return decisionOf(n, {
    eventType: 'purchase-created',
    purchase: { invoiceId, currency: 'EUR', amount: 4900 },
    businessKey: purchaseBusinessKey(tenantId, invoiceId),
    ...overrides,
  });
}

export function signupDecision(n: number, overrides: Partial<DecisionRecord> = {}): DecisionRecord {
  const tenantId = overrides.tenantId ?? 't1';
  const newUserId = overrides.newUserId ?? `user_${n}`;
  return decisionOf(n, {
    eventType: 'signup-created',
    businessKey: signupBusinessKey(tenantId, newUserId),
    ...overrides,
  });
}

/** The same decision with a higher version that earns nothing: another event has the invoice. */
export function asDuplicate(decision: DecisionRecord, duplicateOf: string): DecisionRecord {
  const { campaignId: _c, campaignRevision: _r, referrerId: _f, ...rest } = decision;
  const version = decision.version + 1;
  return { ...rest, version, outcome: 'not-attributed', reason: 'duplicate', duplicateOf };
}

function decisionOf(
  n: number,
  overrides: Partial<DecisionRecord> & Pick<DecisionRecord, 'eventType' | 'businessKey'>,
): DecisionRecord {
  const tenantId = overrides.tenantId ?? 't1';
  const eventId = `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
  return {
    schemaVersion: decisionSchemaVersion,
    decisionId: derivedId('decision', tenantId, eventId),
    version: 1,
    tenantId,
    eventId,
    source: 'v2',
    newUserId: `user_${n}`,
    ucc: 'anna-code',
    occurredAt: '2026-03-01T10:00:00Z',
    occurredAtSeconds: String(1_772_359_200 + n),
    receivedAt: '2026-03-01T10:00:01.000Z',
    outcome: 'attributed',
    campaignId: 'c1',
    campaignRevision: 1,
    referrerId: 'anna',
    flags: [],
    tests: [],
    ...overrides,
  };
}
