import { namesInDocumentOrder, parseStrictJson } from '@tributary/contracts/strict-json';
import type { Violation } from '@tributary/contracts/violation';
import { expect } from 'chai';
import { createBodyReader } from './body.ts';
import { Refusal } from './refusal.ts';
import { campaignRoutes } from '@tributary/contracts/admin/campaigns';
import { codeRoutes } from '@tributary/contracts/admin/codes';
import { tenantRoutes } from '@tributary/contracts/admin/tenants';
import { webhookRoutes } from '@tributary/contracts/admin/webhooks';
import { refineWebhook } from './webhook-routes.ts';

const readCodeBody = createBodyReader(codeRoutes.issueCode.body);
const readTenantBody = createBodyReader(tenantRoutes.createTenant.body);
const readWebhookBody = createBodyReader(webhookRoutes.setWebhook.body, refineWebhook('prod'));

describe('request bodies', () => {
  it('lists at most 20 violations and says when there are more (interface 2.8)', () => {
    const body = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`field${i}`, i]));
    const { about } = refusalOf(() => readTenantBody(body));
    expect(about.errors).to.have.length(20);
    expect(about.detail).to.contain('first 20 of 31');
  });

  it('keeps the order in which a document names the members of what is looked at later', () => {
    const read = createBodyReader(campaignRoutes.tryEvent.body);
    const text = '{"eventType":"purchase-created","event":{"zzz":1,"1":2,"ucc":5}}';
    const json = parseStrictJson(Buffer.from(text));
    const { event } = read(json.outcome === 'json' ? json.value : undefined);
    expect(namesInDocumentOrder(event)).to.deep.equal(['zzz', '1', 'ucc']);
  });

  it('never repeats a value', () => {
    const { about } = refusalOf(() =>
      readWebhookBody({ url: 'http://canary.example', password: 'canary\n' }),
    );
    expect(about.errors).to.have.length(2);
    expect(JSON.stringify(about)).not.to.contain('canary');
  });

  it('takes no other shape than an object', () => {
    for (const body of [null, [], 'text', 1, NaN]) {
      expect(pointersAndCodes(() => readTenantBody(body))).to.deep.equal([['', 'INVALID_TYPE']]);
    }
  });

  it('counts characters, not code units (design 8, "Strings")', () => {
    expect(readCodeBody({ productUserId: '🎁'.repeat(255) })).to.have.key('productUserId');
    const tooLong = { productUserId: '🎁'.repeat(256) };
    expect(pointersAndCodes(() => readCodeBody(tooLong))).to.deep.equal([
      ['/productUserId', 'OUT_OF_RANGE'],
    ]);
  });

  it('refuses NUL and lone surrogates, which no store can hold', () => {
    for (const productUserId of ['a\0b', 'a\ud800b']) {
      expect(pointersAndCodes(() => readCodeBody({ productUserId }))).to.deep.equal([
        ['/productUserId', 'INVALID_FORMAT'],
      ]);
    }
  });

  it('refuses a custom code in the derived form (design 7)', () => {
    const body = { productUserId: 'u1', ucc: 'a1B2c3D4e5F' };
    expect(pointersAndCodes(() => readCodeBody(body))).to.deep.equal([['/ucc', 'INVALID_FORMAT']]);
    expect(readCodeBody({ ...body, ucc: 'SUMMER' }).ucc).to.equal('SUMMER');
  });

  it('refuses a tenantId that could not stand in a record key', () => {
    for (const tenantId of ['a:b', '', '.', '-a', 'a b', 'a/b', 'a'.repeat(65)]) {
      expect(pointersAndCodes(() => readTenantBody({ name: 'A', tenantId }))).to.deep.equal([
        ['/tenantId', 'INVALID_FORMAT'],
      ]);
    }
  });
});

function pointersAndCodes(read: () => unknown): [string, string][] {
  const errors: readonly Violation[] = refusalOf(read).about.errors ?? [];
  return errors.map(({ pointer, code }) => [pointer, code]);
}

function refusalOf(read: () => unknown): Refusal {
  try {
    read();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
