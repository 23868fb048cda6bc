import { expect } from 'chai';
import { type AdminApi, startAdminApi } from '../testing/admin-api.ts';

describe('tributary webhook show, test, pause, resume, disable and rotate', () => {
  let api: AdminApi;
  before(async () => {
    api = await startAdminApi();
  });
  beforeEach(() => void api.requests.splice(0));
  after(() => api.stop());
  const run = (...argv: string[]) => api.run(['webhook', ...argv, '--tenant', 'acme']);

  const status = {
    endpoint: {
      url: 'https://acme.example/rewards',
      username: 'u',
      status: 'paused',
      reason: 'moving',
    },
    breaker: { state: 'open', probeAt: '2026-03-01T12:00:00.000Z', opened: 2 },
    failing: true,
    failingSince: '2026-02-27T12:00:00.000Z',
    lastFailure: 'timeout',
    inFlight: 3,
    waiting: { due: 5, later: 7, exhausted: 11, noEndpoint: 0 },
    oldestDueSeconds: 61,
  };

  it('shows the endpoint, its health and what waits', async () => {
    api.replyWith(status);
    const { code, out } = await run('show');
    expect(code).to.equal(0);
    expect(out)
      .to.match(/^Webhook of acme\n {2}url +https:\/\/acme\.example\/rewards\n/)
      .and.match(/reason +moving/)
      .and.match(/breaker +open\n/)
      .and.match(/failing +true/)
      .and.match(/due +5\n/)
      .and.match(/exhausted +11\n/)
      .and.match(/inFlight +3\n/);
    expect(api.requests).to.deep.equal(['GET /api/tenants/acme/webhook']);
  });

  it('says how to set one where there is none', async () => {
    const { endpoint: _endpoint, ...without } = status;
    for (const body of [without, { ...without, endpoint: null }]) {
      api.replyWith(body);
      expect((await run('show')).out).to.contain('tributary webhook set <address>');
    }
  });

  it('sends a test event, and shows the answer without what would steer the terminal', async () => {
    api.replyWith({
      ...{ eventId: 'e1', delivered: true, result: 'status', statusCode: 204, durationMs: 12 },
      answer: { headers: [['server', 'x\u001b[2J']], body: 'hello\nyou', cut: true },
    });
    const { code, out } = await run('test');
    expect([code, api.requests]).to.deep.equal([0, ['POST /api/tenants/acme/webhook/test {}']]);
    expect(out)
      .to.match(/^Test event delivered\n/)
      .and.match(/statusCode +204/);
    expect(out).to.contain('Answer\n  server: x\ufffd[2J\n  hello\n  you\n  (cut here)\n');
  });

  it('exits 1 when the test event was not delivered', async () => {
    api.replyWith({
      eventId: 'e1',
      delivered: false,
      result: 'blocked',
      detail: 'private address',
    });
    const { code, out, err } = await run('test');
    expect([code, err]).to.deep.equal([1, api.named]);
    expect(out)
      .to.match(/^Test event not delivered\n/)
      .and.match(/detail +private address/);
    api.replyWith(() => ({
      status: 409,
      body: { status: 409, code: 'CONFLICT', title: 'Conflict', detail: 'There is no endpoint.' },
    }));
    const refused = await run('test');
    expect([refused.code, refused.err]).to.deep.equal([
      1,
      `${api.named}Refused, 409 CONFLICT: There is no endpoint.\n`,
    ]);
  });

  it('pauses, disables and resumes with the name of who says so', async () => {
    api.replyWith({ status: 'paused', reason: 'moving', changedBy: 'ops' });
    const { out } = await run('pause', '--by', 'ops', '--reason', 'moving');
    expect(out).to.match(/^Webhook paused\n {2}status +paused\n/);
    await run('disable', '--by', 'ops', '--reason', 'left us');
    await run('resume', '--by', 'ops');
    await run('resume', '--by', 'ops', '--reason', 'moved');
    const at = 'POST /api/tenants/acme/webhook';
    expect(api.requests).to.deep.equal([
      `${at}/pause {"by":"ops","reason":"moving"}`,
      `${at}/disable {"by":"ops","reason":"left us"}`,
      `${at}/resume {"by":"ops"}`,
      `${at}/resume {"by":"ops","reason":"moved"}`,
    ]);
  });

  it('rotates the password with an overlap, and shows the new one', async () => {
    api.replyWith({
      ...{ url: 'https://acme.example', username: 'u', password: 'new' },
      previousUntil: '2026-03-02T12:00:00.000Z',
    });
    const { out } = await run('rotate');
    expect(out)
      .to.match(/password +new\n/)
      .and.match(/previousUntil +2026/)
      .and.match(/^Webhook has a new password; give it to the customer\n/);
    await run('rotate', '--overlap-hours', '0');
    await run('rotate', '--overlap-hours', 'soon');
    expect(api.requests).to.deep.equal([
      'POST /api/tenants/acme/webhook/rotate {"overlapHours":24}',
      'POST /api/tenants/acme/webhook/rotate {"overlapHours":0}',
      'POST /api/tenants/acme/webhook/rotate {"overlapHours":"soon"}',
    ]);
  });

  it('sends nothing without why', async () => {
    for (const argv of [
      ['pause', '--by', 'ops'],
      ['pause', '--by', '', '--reason', 'moving'],
      ['disable', '--by', 'ops', '--reason', ''],
    ]) {
      expect((await run(...argv)).code, argv.join(' ')).to.equal(2);
    }
    expect((await api.run(['webhook', 'show'])).code).to.equal(2);
    expect(api.requests).to.deep.equal([]);
  });
});
