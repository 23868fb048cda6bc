import { expect } from 'chai';
import { startTestPortal, type TestPortal } from '../testing/test-portal.ts';

const campaign = {
  name: 'Spring',
  landingUrl: 'https://example.com/join',
  rules: [
    {
      ruleId: 'purchase',
      trigger: 'purchase-created',
      recipient: 'referrer',
      effect: { kind: 'fixed', credits: '10' },
    },
  ],
};
const purchase = {
  ucc: 'abc',
  occurredAt: '2026-11-20T10:00:00Z',
  newUser: { id: 'u1', email: 'u1@example.com' },
  currency: 'EUR',
  invoiceId: 'inv-1',
  amount: 4900,
  subscription: { interval: 'monthly' },
};

/** What the services answer is tested with them, in test-faults/unharmed/dry-run.spec.ts. */
describe('a dry run, as the admin API takes it', () => {
  let portal: TestPortal;
  before(async () => {
    portal = await startTestPortal();
    await portal.call('POST', '/api/tenants', { name: 'Acme', tenantId: 'acme' });
    const put = await portal.call('PUT', '/api/tenants/acme/campaigns/spring', campaign);
    expect(put.status, JSON.stringify(put.body)).to.equal(200);
  });
  after(() => portal.stop());

  const tryIt = (body: unknown, path = 'acme/campaigns/spring') =>
    portal.call('POST', `/api/tenants/${path}/try`, body);

  it('lists every violation of the v2 contract, at its place in the body', async () => {
    const event = { ...purchase, amount: -1, currency: 'XXQ', extra: true, newUser: {} };
    const { status, body } = await tryIt({ event });
    expect([status, body.code]).to.deep.equal([422, 'VALIDATION_ERROR']);
    expect(body.errors?.map(({ pointer, code }) => [pointer, code])).to.deep.equal([
      ['/event/newUser/id', 'REQUIRED'],
      ['/event/currency', 'INVALID_ENUM'],
      ['/event/amount', 'OUT_OF_RANGE'],
      ['/event/extra', 'UNKNOWN_FIELD'],
    ]);
  });

  it('validates numbers as they are written, as /v2 does', async () => {
    const raw = JSON.stringify({ event: purchase }).replace('4900', '4900.0');
    const errors = await mistakesOf(raw);
    expect(errors).to.have.length(1);
    expect(errors[0]).to.include({ pointer: '/event/amount', code: 'INVALID_TYPE' });
  });

  it('lists mistakes in the order of the document, as /v2 does', async () => {
    const errors = await mistakesOf('{"event":{"zzz":1,"1":2,"ucc":5}}');
    expect(errors.slice(0, 3).map(({ pointer }) => pointer)).to.deep.equal([
      ...['/event/zzz', '/event/1', '/event/ucc'],
    ]);
  });

  async function mistakesOf(raw: string): Promise<{ pointer: string; code: string }[]> {
    const answer = await fetch(`${portal.baseUrl}/api/tenants/acme/campaigns/spring/try`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer test-operator-token-1',
        'content-type': 'application/json',
      },
      body: raw,
    });
    return ((await answer.json()) as { errors: { pointer: string; code: string }[] }).errors;
  }

  it('reads the event by the schema of its type', async () => {
    const { body } = await tryIt({ eventType: 'signup-created', event: purchase });
    const pointers = body.errors?.map(({ pointer }) => pointer);
    expect(pointers).to.include.members(['/event/currency', '/event/amount']);
    const unknown = await tryIt({ eventType: 'purchase', event: purchase });
    expect(unknown.body.errors?.[0]).to.include({ pointer: '/eventType', code: 'INVALID_ENUM' });
    const missing = await tryIt({});
    expect(missing.body.errors?.[0]).to.include({ pointer: '/event', code: 'REQUIRED' });
  });

  it('knows the tenant and the campaign', async () => {
    expect((await tryIt({ event: purchase }, 'other/campaigns/spring')).status).to.equal(404);
    expect((await tryIt({ event: purchase }, 'acme/campaigns/autumn')).status).to.equal(404);
  });

  it('says 503 when the services that would decide cannot be asked', async () => {
    const { status, body, headers } = await tryIt({ event: purchase });
    expect([status, body.code]).to.deep.equal([503, 'SERVICE_UNAVAILABLE']);
    expect(body['detail']).to.include('attribution');
    expect(headers.get('retry-after')).to.not.equal(null);
  });
});
