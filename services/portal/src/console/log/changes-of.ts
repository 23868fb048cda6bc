import type { ChangeKind } from '@tributary/contracts/admin/changes';
import type { CatalogRecord } from '@tributary/contracts/catalog-record';
import type { CodeRecord } from '@tributary/contracts/code-record';
import type { DecisionRecord } from '@tributary/contracts/decision-record';
import type { DeliveryFact } from '@tributary/contracts/delivery-record';
import type { EventRecord } from '@tributary/contracts/event-record';
import type { IssuanceFact } from '@tributary/contracts/issuance-record';
import type { RefusalRecord } from '@tributary/contracts/refusal-record';
import type { RewardRecord } from '@tributary/contracts/reward-record';
import type { Incoming } from '@tributary/event-log/projection';
import type { TenantChange } from '../domain/change-texts.ts';
import type { TopicRead } from './sources.ts';

/** What records of one topic are about: ids only. Dead letters are of no tenant. */
export function changesOf(batch: readonly Incoming[]): TenantChange[] {
  const topic = batch[0]?.source as TopicRead | undefined;
  const kind = <T extends { tenantId: string }>(name: ChangeKind, idOf: (record: T) => string) =>
    batch.flatMap(({ value }) => {
      if (value === null) return [];
      const record = value as T;
      return [{ tenantId: record.tenantId, kind: name, id: idOf(record) }];
    });
  switch (topic) {
    case undefined:
    case 'deadLetters':
      return [];
    case 'events':
      return kind<EventRecord>('event', ({ eventId }) => eventId);
    case 'people':
      return batch.flatMap(({ key }) => personOf(key));
    case 'codes':
      return kind<CodeRecord>('code', ({ ucc }) => ucc);
    case 'catalog':
      return batch.flatMap(({ value }) => (value === null ? [] : setUp(value as CatalogRecord)));
    case 'attributions':
      return kind<DecisionRecord>('decision', ({ eventId }) => eventId);
    case 'rewards':
      return kind<RewardRecord>('reward', ({ rewardId }) => rewardId);
    case 'issuances':
      return batch.flatMap(({ value }) => (value === null ? [] : granted(value as IssuanceFact)));
    case 'deliveries':
      return kind<DeliveryFact>('delivery', ({ webhookEventId }) => webhookEventId);
    case 'refusals':
      return kind<RefusalRecord>('request', ({ refusalId }) => refusalId);
    default:
      throw new Error(`no such source: ${String(topic satisfies never)}`);
  }
}

/** By its key: what erases somebody has no value. One without colon is nobody's. */
function personOf(key: string): TenantChange[] {
  const colon = key.indexOf(':');
  if (colon === -1) return [];
  return [{ tenantId: key.slice(0, colon), kind: 'person', id: key.slice(colon + 1) }];
}

function setUp(record: CatalogRecord): TenantChange[] {
  const { tenantId, entity } = record;
  if (entity === 'erasure') return [{ tenantId, kind: 'person', id: record.userId }];
  return [{ tenantId, kind: 'catalog', id: entity }];
}

/** What an operator did about a reward is told of the reward. */
function granted(fact: IssuanceFact): TenantChange[] {
  const { tenantId, rewardId } = fact;
  if (fact.type !== 'issued') return [{ tenantId, kind: 'reward', id: rewardId }];
  return [{ tenantId, kind: 'issuance', id: fact.issuanceId }];
}
