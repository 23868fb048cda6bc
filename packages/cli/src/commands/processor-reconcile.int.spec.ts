import { expect } from 'chai';
import { PassThrough } from 'node:stream';
import type { Finding, ReconcilePage } from '../processor/reconciliation.ts';
import { type AdminApi, type Reply, startAdminApi } from '../testing/admin-api.ts';
import type { ProcessContext } from '../process-context.ts';

describe('tributary processor reconcile', () => {
  let api: AdminApi;
  before(async () => {
    api = await startAdminApi();
  });
  beforeEach(() => void api.requests.splice(0));
  after(() => api.stop());

  const line = ['processor', 'reconcile', '--tenant', 'acme', '--since', '2026-03-01'];
  const at = '/api/tenants/acme/processor-connections';
  const run = (more: string[] = [], processContext: Partial<ProcessContext> = {}) =>
    api.run([...line, '--connection', 'c1', ...more], processContext);

  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const page = (change: Partial<ReconcilePage> = {}): Reply => ({
    status: 200,
    body: {
      ...{ scanned: 100, reachedAt: daysAgo(10.5), endsAt: daysAgo(39.5), findings: [] },
      ...{ appended: 0, nextCursor: null, ...change },
    },
  });
  const finding = (change: Partial<Finding> = {}): Finding => ({
    ...{
      finding: 'missing',
      type: 'invoice',
      objectId: 'in_1',
      occurredAt: '2026-03-02T00:00:00Z',
    },
    ...{ amount: 4900, currency: 'usd', ...change },
  });
  /** Invoices as said, nothing else. */
  const invoices = (...pages: Reply[]) =>
    api.replyWith((request: string) =>
      request.includes('"kind":"invoices"') ? pages.shift()! : page({ scanned: 0 }),
    );

  it('walks invoices, sessions and refunds page by page, and tells how far it is', async () => {
    invoices(page({ nextCursor: 'in_9' }), page({ scanned: 20 }));
    const { code, out } = await run();
    expect(code).to.equal(0);
    expect(out.split('\n')).to.deep.equal([
      '10 days of invoices, 30 left',
      '40 days of invoices, 0 left',
      '40 days of sessions, 0 left',
      '40 days of refunds, 0 left',
      'Stripe has 120 objects of invoices, sessions and refunds since 2026-03-01T00:00:00.000Z.',
      'Nothing is missing, different or extra.',
      '',
    ]);
    const options = '"since":"2026-03-01T00:00:00.000Z","append":false';
    expect(api.requests).to.deep.equal([
      `POST ${at}/c1/reconcile {${options},"kind":"invoices"}`,
      `POST ${at}/c1/reconcile {${options},"kind":"invoices","cursor":"in_9"}`,
      `POST ${at}/c1/reconcile {${options},"kind":"sessions"}`,
      `POST ${at}/c1/reconcile {${options},"kind":"refunds"}`,
    ]);
  });

  it('draws a bar on a terminal', async () => {
    invoices(page({ nextCursor: 'in_9' }), page());
    const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
    const { out } = await run([], { terminal });
    expect(out).to.match(/^Stripe has/);
    const drawn = String(terminal.read());
    expect(drawn).to.contain('10 of 40 days of invoices').and.contain('40 of 40 days of refunds');
  });

  it('exits 1 and names what is missing, different and extra, the unexplained first', async () => {
    const known = finding({ objectId: 'in_2', state: 'unmatched', reason: 'no-metadata' });
    const different = finding({
      ...{ finding: 'different', objectId: 'in_3', state: 'reported' },
      differences: [{ pointer: '/purchase/amount', ours: 1, wanted: 'x\u001b[2J' }],
    });
    const detail = 'Stripe has the invoice with status void.';
    const extra = finding({ finding: 'extra', objectId: 'in_4', state: 'reported', detail });
    invoices(page({ findings: [known, different, extra, finding()] }));
    const { code, out, err } = await run();
    expect([code, err]).to.deep.equal([1, api.named]);
    const rows = out.split('\n').slice(-9);
    expect(rows[1]).to.match(/^different +invoice +in_3 +reported/);
    expect(rows[2]).to.match(/^extra +invoice +in_4/);
    expect(rows[3]).to.match(/^missing +invoice +in_1 +- +- +2026-03-02T00:00:00Z +4900 +usd$/);
    expect(rows[4]).to.match(/^missing +invoice +in_2 +unmatched +no-metadata/);
    expect(rows.slice(5)).to.deep.equal([
      '  in_3 /purchase/amount: 1 here, x\ufffd[2J at Stripe',
      '  in_4: Stripe has the invoice with status void.',
      '2 missing (of which 1 unmatched no-metadata), 1 different, 1 extra.',
      '',
    ]);
  });

  it('is in order when all that is missing has a known reason', async () => {
    invoices(page({ findings: [finding({ state: 'unmatched', reason: 'no-metadata' })] }));
    expect((await run()).code).to.equal(0);
  });

  it('is not in order when what was ignored is paid at Stripe', async () => {
    invoices(page({ findings: [finding({ state: 'ignored', reason: 'not-paid' })] }));
    expect((await run()).code).to.equal(1);
  });

  it('appends what is missing', async () => {
    invoices(page({ findings: [finding({ appended: true })], appended: 1 }));
    const { code, out } = await run(['--append', '--kind', 'invoices', '--look-back-days', '90']);
    expect(code).to.equal(0);
    expect(api.requests).to.deep.equal([
      `POST ${at}/c1/reconcile {"since":"2026-03-01T00:00:00.000Z","append":true,` +
        '"lookBackDays":90,"kind":"invoices"}',
    ]);
    expect(out)
      .to.match(/missing +invoice +in_1 +appended/)
      .and.contain('1 appended;');
  });

  it('prints all findings with --json, and at most fifty without', async () => {
    const findings = Array.from({ length: 60 }, (_, i) => finding({ objectId: `in_${i}` }));
    invoices(page({ findings }));
    const { out } = await run(['--json']);
    const printed = JSON.parse(out) as { scanned: number; findings: unknown[]; finished: boolean };
    expect([printed.scanned, printed.findings.length, printed.finished]).to.deep.equal([
      100,
      60,
      true,
    ]);
    invoices(page({ findings }));
    expect((await run()).out).to.contain('and 10 more: --json prints all\n');
  });

  it('takes the only active connection, and asks which one of two', async () => {
    const connection = (connectionId: string, status = 'active') => ({ connectionId, status });
    let connections = [connection('c1', 'disconnected'), connection('c2')];
    api.replyWith((request: string) =>
      request.startsWith('GET') ? { status: 200, body: { connections } } : page(),
    );
    expect((await api.run([...line, '--kind', 'refunds'])).code).to.equal(0);
    expect(api.requests[0]).to.equal(`GET ${at}`);
    expect(api.requests[1]).to.match(/^POST \/api\/tenants\/acme\/processor-connections\/c2\//);
    connections = [connection('c2'), connection('c3')];
    const two = await api.run(line);
    expect([two.code, two.err]).to.deep.equal([2, 'Say which with --connection: c2, c3.\n']);
    connections = [];
    expect((await api.run(line)).err).to.contain('no active connection');
  });

  it('tries again when Stripe or the service cannot answer now', async () => {
    const detail = 'Stripe asks to wait.';
    const busy = {
      status: 503,
      body: { status: 503, code: 'SERVICE_UNAVAILABLE', title: 'x', detail },
    };
    invoices(busy, page());
    const { code, out } = await run(['--kind', 'invoices']);
    expect([code, api.requests.length]).to.deep.equal([0, 2]);
    expect(out).to.contain(`trying again. (${detail})`);
  });

  it('ends after the page under way at Ctrl-C, and shows what was found', async () => {
    let interrupt: (() => void) | undefined;
    api.replyWith(() => {
      interrupt?.();
      return page({ nextCursor: 'in_9', findings: [finding()] });
    });
    const { code, out } = await run([], {
      onInterrupt(listener) {
        interrupt = listener;
        return () => undefined;
      },
    });
    expect([code, api.requests.length]).to.deep.equal([1, 1]);
    expect(out).to.contain('Ended before all was walked').and.contain('1 missing');
  });

  it('shows what was found when a later page fails', async () => {
    const detail = 'Stripe does not take the key.';
    invoices(page({ nextCursor: 'in_9', findings: [finding()] }), {
      status: 409,
      body: { status: 409, code: 'CONFLICT', title: 'x', detail },
    });
    const { code, out, err } = await run();
    expect(code).to.equal(1);
    expect(out).to.contain('1 missing').and.contain('It failed then.');
    expect(err).to.contain(detail);
  });

  it('does not go round for ever on one page', async () => {
    api.replyWith(() => page({ nextCursor: 'in_9' }));
    const { code, err } = await run();
    expect([code, api.requests.length]).to.deep.equal([1, 2]);
    expect(err).to.contain('the same page again');
  });

  it('sends nothing without a time, or with a wrong kind or number', async () => {
    for (const argv of [
      ['processor', 'reconcile', '--tenant', 'acme', '--connection', 'c1'],
      [...line, '--connection', 'c1', '--kind', 'prices'],
      [...line, '--connection', 'c1', '--look-back-days', '0'],
    ]) {
      expect((await api.run(argv)).code).to.equal(2);
    }
    expect(api.requests).to.deep.equal([]);
  });
});
