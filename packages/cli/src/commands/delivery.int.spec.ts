import { expect } from 'chai';
import { type AdminApi, startAdminApi } from '../testing/admin-api.ts';

describe('tributary delivery', () => {
  let api: AdminApi;
  before(async () => {
    api = await startAdminApi();
  });
  beforeEach(() => void api.requests.splice(0));
  after(() => api.stop());
  const run = (...argv: string[]) => api.run(['delivery', ...argv, '--tenant', 'acme']);

  const delivery = {
    ...{ webhookEventId: 'e1', issuanceId: 'i1', rewardId: 'r1', recipientId: 'ada' },
    ...{ state: 'pending', attempts: 2, round: 0, issuedAt: '2026-03-01T12:00:00.000Z' },
    dueAt: '2026-03-01T12:01:00.000Z',
    lastAttempt: { attempt: 2, result: 'status', statusCode: 503 },
  };

  it('lists with filters, and says how to go on', async () => {
    const other = { ...delivery, lastAttempt: { attempt: 1, result: 'timeout' } };
    api.replyWith({
      deliveries: [delivery, other, { ...delivery, lastAttempt: undefined }],
      nextCursor: 'abc',
    });
    const { code, out } = await run(
      'list',
      '--state',
      'pending',
      '--recipient',
      'a&b',
      '--since',
      '2026-03-01',
      '--limit',
      '3',
    );
    expect(code).to.equal(0);
    const [head, first, second, third, more] = out.split('\n');
    expect(head).to.match(/^issuedAt +webhookEventId +state +attempts +last +recipientId +dueAt/);
    expect(first).to.match(/e1 +pending +2 +503 +ada/);
    expect(second).to.match(/ timeout /);
    expect(third).to.match(/ 2 +- /);
    expect(more).to.equal('There are more: --cursor abc');
    expect(api.requests).to.deep.equal([
      'GET /api/tenants/acme/deliveries?state=pending&recipient=a%26b&since=2026-03-01&limit=3',
    ]);
  });

  it('says when there are none', async () => {
    api.replyWith({ deliveries: [] });
    expect((await run('list')).out).to.equal('No deliveries.\n');
  });

  it('shows one with body, attempts, the last answer and who asked for it again', async () => {
    const at = { startedAt: '2026-03-01T12:00:01.000Z', durationMs: 30, round: 0 };
    api.replyWith({
      delivery,
      payload: '{"version":"1.0.0","eventId":"e1"}',
      attempts: [
        { ...at, attempt: 1, outcome: 'failed', result: 'blocked', detail: '10.0.0.1 is private' },
        {
          ...{ ...at, attempt: 2, outcome: 'failed', result: 'status', statusCode: 503 },
          answer: { headers: [['retry-after', '30']], body: 'down\u0007', cut: false },
        },
      ],
      resends: [{ round: 1, by: 'ops', note: 'asked', at: '2026-03-02T00:00:00.000Z' }],
    });
    const { out } = await run('show', 'e/1');
    expect(api.requests).to.deep.equal(['GET /api/tenants/acme/deliveries/e%2F1']);
    expect(out)
      .to.match(/^Delivery e1\n/)
      .and.not.contain('[object');
    expect(out).to.contain('Payload\n{"version":"1.0.0","eventId":"e1"}\n');
    expect(out)
      .to.match(/\n1 .*blocked +- +10\.0\.0\.1 is private\n/)
      .and.match(/\n2 .*status +503/);
    expect(out).to.contain('Answer\n  retry-after: 30\n  down\ufffd\n');
    expect(out).to.match(/Resends\nround +by +note +at\n1 +ops +asked/);
  });

  it('sends one again, with the name of who says so', async () => {
    api.replyWith({ webhookEventId: 'e1', state: 'pending', round: 1, attempts: 14 });
    const { out } = await run('resend', 'e1', '--by', 'ops', '--note', 'asked');
    expect(out).to.match(/^Delivery is sent again\n {2}webhookEventId +e1\n/);
    expect(api.requests).to.deep.equal([
      'POST /api/tenants/acme/deliveries/e1/resend {"by":"ops","note":"asked"}',
    ]);
    await run('resend', 'e1');
    expect(api.requests.at(-1)).to.equal('POST /api/tenants/acme/deliveries/e1/resend {}');
  });
});
