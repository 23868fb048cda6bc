import { type IssuanceRecord, issuanceSchemaVersion } from '@tributary/contracts/issuance-record';
import type { WebhookPayload } from '@tributary/contracts/webhook-payload';
import { expect } from 'chai';
import fc from 'fast-check';
import { buildTestBody, buildWebhookBody } from './payload.ts';

const issuedAt = new Date('2026-03-01T10:20:30.045Z');

describe('buildWebhookBody (interface 2.12)', () => {
  it('writes exactly the payload of the contract', () => {
    expect(buildWebhookBody(issuance(), issuedAt).toString()).to.equal(
      '{"version":"1.0.0","eventType":"new-reward","createdTs":"2026-03-01T10:20:30.045Z",' +
        '"eventId":"ev-1","data":{"rewardId":"rw-1","productUserId":"user-1",' +
        '"rewardType":"credits","reward":{"amount":10}}}',
    );
  });

  it('writes the amount as a number with exactly the decimals of the credits', () => {
    const amounts = ['2.50', '0.000001', '9007199254740993', '123456789012345678.123456', '007.10'];
    const written = amounts.map((credits) =>
      amountText(buildWebhookBody(issuance({ credits }), issuedAt)),
    );
    expect(written).to.deep.equal([
      '2.50',
      '0.000001',
      '9007199254740993',
      '123456789012345678.123456',
      '7.10',
    ]);
  });

  it('reads back as the payload of the contract for any recipient', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (recipientId) => {
        const body = buildWebhookBody(issuance({ recipientId }), issuedAt).toString();
        const expected: WebhookPayload = {
          version: '1.0.0',
          eventType: 'new-reward',
          createdTs: '2026-03-01T10:20:30.045Z',
          eventId: 'ev-1',
          data: {
            rewardId: 'rw-1',
            productUserId: recipientId,
            rewardType: 'credits',
            reward: { amount: 10 },
          },
        };
        expect(JSON.parse(body)).to.deep.equal(expected);
      }),
    );
  });
});

describe('buildTestBody', () => {
  it('is a payload of another event type, and worth nothing (6.1 rule 2)', () => {
    const id = '6f0c1f7e-0000-4000-8000-000000000001';
    expect(JSON.parse(buildTestBody(id, issuedAt).toString())).to.deep.equal({
      version: '1.0.0',
      eventType: 'webhook-test',
      createdTs: issuedAt.toISOString(),
      eventId: id,
      data: {
        rewardId: id,
        productUserId: 'webhook-test',
        rewardType: 'credits',
        reward: { amount: 0 },
      },
    });
  });
});

function amountText(body: Buffer): string | undefined {
  return /"amount":([^}]*)/.exec(body.toString())?.[1];
}

function issuance(changes: Partial<IssuanceRecord> = {}): IssuanceRecord {
  return {
    schemaVersion: issuanceSchemaVersion,
    type: 'issued',
    issuanceId: 'is-1',
    rewardId: 'rw-1',
    tenantId: 't1',
    campaignId: 'c1',
    recipientId: 'user-1',
    rewardType: 'credits',
    credits: '10',
    issuedAt: issuedAt.toISOString(),
    webhookEventId: 'ev-1',
    ...changes,
  };
}
