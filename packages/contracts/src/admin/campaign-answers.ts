import { Type } from '@sinclair/typebox';
import { CampaignRevisionRecord } from '../catalog-record.ts';
import { named, utc } from './answer-fields.ts';

const {
  schemaVersion: _v,
  tenantId: _t,
  version: _n,
  entity: _e,
  ...revision
} = CampaignRevisionRecord.properties;

/** A revision as it was stored. */
export const StoredRevision = named(
  'Campaign revision',
  Type.Object({ ...revision, effectiveFrom: utc, publishedAt: utc }),
);
