import { expect } from 'chai';
import { PassThrough } from 'node:stream';
import type { ProcessContext } from '../process-context.ts';
import { type AdminApi, type Reply, startAdminApi } from '../testing/admin-api.ts';
import { different, identical, jobId, jobOf, report } from '../testing/replay-answers.ts';

const job = `GET /api/replay/jobs/${jobId}`;
const problem = (status: number, code: string, detail: string): Reply => ({
  status,
  body: { status, code, title: code, detail },
});

describe('tributary replay', () => {
  let api: AdminApi;
  before(async () => {
    api = await startAdminApi();
  });
  beforeEach(() => void api.requests.splice(0));
  after(() => api.stop());
  const run = (argv: string[], more: Partial<ProcessContext> = {}) =>
    api.run(['replay', ...argv], more);

  /** Asked for, these one after the other, the last one for ever. */
  function answers(...replies: (Reply | object)[]) {
    let next = 0;
    api.replyWith((request) => {
      if (!request.startsWith('GET')) return { status: 202, body: jobOf({ status: 'queued' }) };
      const reply = replies[Math.min(next++, replies.length - 1)] ?? {};
      return 'status' in reply && typeof reply.status === 'number'
        ? (reply as Reply)
        : { status: 200, body: reply };
    });
  }
  const folding = (done: number) =>
    jobOf({
      progress: {
        ...{ phase: 'folding users', done, total: 1_000, unit: 'events' },
        ...{ eventsPerSecond: 15_000.4, remainingSeconds: 61.2, liveLag: 3 },
      },
    });

  describe('verify', () => {
    it('says what it does meanwhile, and ends with 0 when all is identical', async () => {
      answers(
        jobOf({ status: 'queued' }),
        jobOf({ progress: { phase: 'reading the log', done: 12_000, unit: 'records' } }),
        folding(410),
        folding(420),
        folding(900),
        jobOf({ status: 'done', result: identical }),
      );
      const { code, out } = await run([
        'verify',
        '--tenant',
        'acme',
        '--user',
        'a b',
        '--by',
        'ops',
      ]);
      expect(code).to.equal(0);
      expect(out.split('\n')).to.deep.equal([
        'reading the log: 12,000 records',
        'folding users: 41 %, 410 of 1,000 events, 15,000 events/s, 1 min 2 s left, live 3 behind',
        'folding users: 90 %, 900 of 1,000 events, 15,000 events/s, 1 min 2 s left, live 3 behind',
        'Identical: generation 1 against 1,200 events of the log.',
        'tenantId  decisions           rewards           recipients       is',
        'acme      1,200 aaaaaaaaaaaa  300 bbbbbbbbbbbb  40 cccccccccccc  identical',
        '',
      ]);
      expect(api.requests.slice(0, 2)).to.deep.equal([
        'POST /api/replay/jobs {"kind":"verify","params":{"tenantId":"acme","userId":"a b"},"by":"ops"}',
        job,
      ]);
    });

    it('ends with 1 when something differs, and tells both sides', async () => {
      answers(jobOf({ status: 'done', result: different }));
      const { code, out } = await run(['verify', '--generation', '2']);
      expect(code).to.equal(1);
      expect(out)
        .to.match(/^Different: /)
        .and.to.contain('7 differences, the first 2:');
      expect(out.split('\n').slice(6, -1)).to.deep.equal([
        '',
        'reward r-1 of tenant acme: entitled',
        '  live: entitled 11',
        '    Somebody gave \ufffd[2J11 credits.',
        '  by the log: entitled 10',
        '    Rule "share" gives 10 credits.',
        '  What live has is another by now.',
        '',
        'decision e-1 of tenant acme: only the log gives it',
        '  by the log: outcome attributed',
        '    The code is known.',
      ]);
      expect(api.requests[0]).to.contain('{"generation":2}');
    });

    it('ends with 1 when the job failed or was cancelled, and says why', async () => {
      answers(jobOf({ status: 'failed', error: 'The log has a newer record.' }));
      const failed = await run(['verify']);
      expect([failed.code, failed.out]).to.deep.equal([1, 'Failed: The log has a newer record.\n']);
      answers(jobOf({ status: 'cancelled' }));
      expect(await run(['verify'])).to.include({ code: 1, out: 'Cancelled.\n' });
    });

    it('prints the job alone with --json', async () => {
      answers(folding(1), jobOf({ status: 'done', result: different }));
      const { code, out } = await run(['verify', '--json']);
      expect([code, JSON.parse(out)]).to.deep.equal([
        1,
        jobOf({ status: 'done', result: different }),
      ]);
    });

    it('draws a bar on a terminal', async () => {
      answers(folding(250), folding(500), jobOf({ status: 'done', result: identical }));
      const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 160 });
      const { out } = await run(['verify'], { terminal });
      expect(out).to.match(/^Identical: /);
      const drawn = String(terminal.read());
      expect(drawn).to.contain('folding users  ██████░░').and.contain('25 %  250 of 1,000 events');
      expect(drawn).to.contain('15,000 events/s  1 min 2 s left  live 3 behind');
    });

    it('goes on asking while the portal is away for a moment', async () => {
      answers(
        problem(503, 'SERVICE_UNAVAILABLE', 'replay is not reachable now; try again.'),
        problem(503, 'SERVICE_UNAVAILABLE', 'replay is not reachable now; try again.'),
        jobOf({ status: 'done', result: identical }),
      );
      const { code, out } = await run(['verify']);
      expect(code).to.equal(0);
      expect(out.match(/No answer at the moment/g)).to.have.length(1);
    });

    it('fails at once when the job is refused', async () => {
      answers(problem(404, 'NOT_FOUND', 'There is no such job.'));
      const { code, err } = await run(['verify']);
      expect([code, api.requests.length]).to.deep.equal([1, 2]);
      expect(err).to.contain('There is no such job.');
    });

    it('leaves the job running at Ctrl-C, and says how to see it', async () => {
      let interrupt: (() => void) | undefined;
      let restored = false;
      api.replyWith((request) => {
        if (request.startsWith('GET')) interrupt?.();
        return { status: 200, body: folding(100) };
      });
      const { code, out } = await run(['verify'], {
        onInterrupt(listener) {
          interrupt = listener;
          return () => void (restored = true);
        },
      });
      expect([code, restored]).to.deep.equal([1, true]);
      expect(out)
        .to.contain('The job goes on.')
        .and.contain(`tributary replay job ${jobId} --watch`);
      expect(api.requests.some((request) => request.includes('cancel'))).to.equal(false);
    });

    it('does not wait with --detach', async () => {
      answers(folding(1));
      const { code, out } = await run(['verify', '--detach']);
      expect([code, api.requests.length]).to.deep.equal([0, 1]);
      expect(out).to.match(new RegExp(`^Asked for: verify, job ${jobId}\\.\n`));
    });

    it('sends nothing that cannot be understood', async () => {
      for (const argv of [
        ['--user', 'ada'],
        ['--generation', '0'],
        ['--generation', 'two'],
      ]) {
        expect((await run(['verify', ...argv])).code).to.equal(2);
      }
      expect(api.requests).to.deep.equal([]);
    });
  });

  it('lists jobs, shows one with its history, and cancels it', async () => {
    const done = jobOf({ status: 'done', result: identical, params: { tenantId: 'acme' } });
    api.replyWith({ jobs: [done, jobOf()], nextCursor: jobId });
    const list = await run(['jobs', '--limit', '2', '--cursor', jobId]);
    expect(list.out).to.match(/^createdAt +jobId +kind +status +by +last\n/);
    expect(list.out).to.contain(`There are more: --cursor ${jobId}`);
    expect(api.requests.splice(0)).to.deep.equal([`GET /api/replay/jobs?limit=2&cursor=${jobId}`]);

    api.replyWith(done);
    const one = await run(['job', jobId]);
    expect(one.out)
      .to.match(/^Job 019a/)
      .and.match(/\n {2}tenantId +acme\n/);
    expect(one.out).to.contain('  2026-03-01T12:00:00.000Z  asked for by operator\n');
    expect(one.out).to.contain('\nIdentical: ');
    expect((await run(['job', jobId, '--watch'])).out).to.match(/^Identical: /);

    api.replyWith(jobOf({ status: 'cancelled' }));
    expect((await run(['cancel', jobId, '--by', 'ops'])).out).to.match(/status +cancelled/);
    expect(api.requests.at(-1)).to.equal(`POST /api/replay/jobs/${jobId}/cancel {"by":"ops"}`);
  });

  it('rebuilds: tells whether what it built is what the log gives, and what changes', async () => {
    const { campaignId: _campaign, draftRevision: _revision, ...changes } = report;
    const result = { outcome: 'ready', generation: 2, compared: identical, report: changes };
    answers(jobOf({ kind: 'rebuild', status: 'done', result }));
    const { code, out } = await run(['rebuild']);
    expect(code).to.equal(0);
    expect(out).to.match(/^Built: generation 2 has caught up\.\nIdentical: /);
    expect(out).to.contain('\nDifference of tenant acme, generation 1 to what the log gives\n');
    expect(out).to.match(/\nTo make it live: tributary replay swap 2\n$/);

    const wrong = { outcome: 'different', generation: 2, compared: different };
    answers(jobOf({ kind: 'rebuild', status: 'done', result: wrong }));
    const failed = await run(['rebuild']);
    expect([failed.code, failed.out.split('\n')[0]]).to.deep.equal([
      1,
      'Built: generation 2 is not what the log gives, so it cannot be made live.',
    ]);
  });

  it('builds, swaps, rolls back and drops generations', async () => {
    answers(jobOf({ kind: 'swap', status: 'done', result: { from: 1, to: 2, frozenMs: 40.2 } }));
    const swap = await run(['swap', '2', '--by', 'ops']);
    expect([swap.code, swap.out]).to.deep.equal([
      0,
      'Generation 2 is live instead of 1\n  decisions waited  40 ms\n',
    ]);
    for (const argv of [
      ['rebuild', '--detach'],
      ['rebuild', '--fold', '1', '--detach'],
      ['rollback'],
      ['drop', '1'],
    ]) {
      expect((await run(argv)).code).to.equal(0);
    }
    const base = '/api/replay/generations';
    const sent = api.requests.filter((request) => !request.startsWith('GET'));
    expect(sent).to.deep.equal([
      `POST ${base}/2/swap {"by":"ops"}`,
      `POST ${base} {}`,
      `POST ${base} {"foldVersion":1}`,
      `POST ${base}/rollback {}`,
      `DELETE ${base}/1 {}`,
    ]);
    expect((await run(['drop', 'first'])).code).to.equal(2);
  });

  it('lists generations, with what became of them', async () => {
    const createdAt = '2026-03-01T12:00:00.000Z';
    api.replyWith({
      live: 2,
      generations: [
        { number: 1, status: 'kept', foldVersion: 1, createdAt },
        { number: 2, status: 'live', foldVersion: 2, createdAt, note: 'a fixed bug' },
      ],
      events: [{ number: 2, at: createdAt, line: 'live' }],
    });
    const { out } = await run(['generations']);
    expect(out.split('\n')).to.deep.equal([
      'Live: generation 2',
      'number  now   status  foldVersion  createdAt                 note',
      `1             kept    1            ${createdAt}  -`,
      `2       live  live    2            ${createdAt}  a fixed bug`,
      '',
      `${createdAt}  2  live`,
      '',
    ]);
  });
});
