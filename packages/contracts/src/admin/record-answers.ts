import { Type } from '@sinclair/typebox';
import { CampaignRevisionRecord } from '../catalog-record.ts';
import { CodeRecord } from '../code-record.ts';
import { DecisionRecord } from '../decision-record.ts';
import { DeliveryFact } from '../delivery-record.ts';
import { EventRecord } from '../event-record.ts';
import { IssuanceRecord, RewardActionRecord } from '../issuance-record.ts';
import { named } from './answer-fields.ts';

// Records as they are on the log, by the names that the documentation has for them.

export const Decision = named('Decision', DecisionRecord);
export const CodeChange = named('Code change', CodeRecord);
export const Revision = named('Revision record', CampaignRevisionRecord);
export const Issuance = named('Issuance', IssuanceRecord);
export const RewardAction = named('Reward action', RewardActionRecord);
export const DeliveryStep = named('Delivery step', DeliveryFact);

const [PurchaseCreated, SignupCreated, DemoAttended, PurchaseRefunded] = EventRecord.anyOf;
/** Without how its request was distinguished from a repetition, which is nobody's business. */
export const Fact = named(
  'Fact',
  Type.Union([
    Type.Omit(PurchaseCreated, ['idempotency']),
    Type.Omit(SignupCreated, ['idempotency']),
    Type.Omit(DemoAttended, ['idempotency']),
    Type.Omit(PurchaseRefunded, ['idempotency']),
  ]),
);
