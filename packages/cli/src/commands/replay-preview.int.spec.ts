import { expect } from 'chai';
import { type AdminApi, startAdminApi } from '../testing/admin-api.ts';
import { different, identical, jobId, jobOf, report } from '../testing/replay-answers.ts';

const file = '{ "campaignId": "spring", "name": "Spring", "rules": [] }';
const done = jobOf({ kind: 'preview', status: 'done', result: report });

describe('tributary replay preview', () => {
  let api: AdminApi;
  before(async () => {
    api = await startAdminApi();
  });
  beforeEach(() => void api.requests.splice(0));
  after(() => api.stop());
  const run = (...argv: string[]) =>
    api.run(['replay', ...argv], {
      input: (async function* () {
        yield Buffer.from(file);
      })(),
    });

  it('sends the campaign of a file, and shows what it would have done', async () => {
    const warning = { code: 'TAKEN_OVER_LATER', pointer: '/effectiveFrom', detail: 'is followed' };
    api.replyWith((request) => ({
      status: 200,
      body: request.startsWith('POST') ? { ...jobOf(), warnings: [warning] } : done,
    }));
    const from = '2026-01-01T00:00:00Z';
    const flags = ['--tenant', 'acme', '--campaign', '-', '--effective-from', from];
    const { code, out } = await run('preview', ...flags);
    expect(code).to.equal(0);
    expect(api.requests[0]).to.equal(
      'POST /api/replay/previews {"tenantId":"acme","campaignId":"spring",' +
        `"campaign":{"name":"Spring","rules":[]},"effectiveFrom":"${from}"}`,
    );
    expect(out.split('\n')).to.deep.equal([
      '1 warning:',
      '  /effectiveFrom: is followed (TAKEN_OVER_LATER)',
      `Preview ${jobId}: campaign spring of tenant acme with revision 2`,
      '  1,200 events; rewards: 5 unchanged, 2 new, 1 withdrawn, 0 changed; 2 to review',
      '  credits: 1,000.5 → 1,020.5 (+20): new 30, withdrawn 10, more 0, less 0',
      '',
      'By rule',
      'campaignId  ruleId  role      new  withdrawn  changed  before   after    difference',
      'spring      share   referrer  2    1          0        1,000.5  1,020.5  +20',
      '',
      'By month',
      'month    new  withdrawn  changed  before   after    difference',
      '2026-02  2    1          0        1,000.5  1,020.5  +20',
      '',
      'By referrer',
      'recipientId  before  after  difference',
      'ada          10      30     +20',
      '',
      'Largest changes',
      '  +20  ada, rule share, 2026-02: new, 0 → 20',
      '      after:  Rule "share" gives 20 credits.',
      '',
      `Every change: tributary replay show ${jobId} --changes --format csv`,
      `To make it so: tributary replay commit ${jobId}`,
      '',
    ]);
  });

  it('shows the state of a past moment', async () => {
    const past = { ...report, until: '2026-02-01T00:00:00.000Z' };
    const { campaignId: _campaign, draftRevision: _revision, ...state } = past;
    api.replyWith(jobOf({ kind: 'state', status: 'done', result: state }));
    const { out } = await run('preview', '--until', '2026-02-01', '--tenant', 'acme', '--by', 'me');
    expect(api.requests[0]).to.equal(
      'POST /api/replay/previews {"until":"2026-02-01","tenantId":"acme","by":"me"}',
    );
    expect(out).to.match(
      /^State of tenant acme as of 2026-02-01T00:00:00.000Z, beside that of now/,
    );
    expect(out).to.not.contain('replay commit');
  });

  it('shows what newer rules would change of all history, and how to make it so', async () => {
    const { campaignId: _campaign, draftRevision: _revision, tenantId: _tenant, ...rest } = report;
    const result = { ...rest, foldVersion: 2, liveFoldVersion: 1 };
    api.replyWith(jobOf({ kind: 'preview', status: 'done', result }));
    const { code, out } = await run('preview', '--fold', '2');
    expect(code).to.equal(0);
    expect(api.requests[0]).to.equal('POST /api/replay/previews {"foldVersion":2}');
    expect(out.split('\n')[0]).to.equal(
      `Preview ${jobId}: all tenants by fold version 2; ` +
        'generation 1, which is live, folds by version 1',
    );
    expect(out).to.match(
      /\nTo make it so: tributary replay rebuild, and then tributary replay swap\n$/,
    );
    expect(out).to.not.contain('replay commit');
  });

  it('sends nothing that says too little or too much', async () => {
    for (const flags of [
      [],
      ['--tenant', 'acme'],
      ['--campaign', '-'],
      ['--tenant', 'acme', '--campaign', '-', '--until', '2026-02-01'],
      ['--until', '2026-02-01', '--effective-from', '2026-02-01'],
      ['--fold', '2', '--until', '2026-02-01'],
      ['--fold', '2', '--campaign', '-'],
      ['--fold', 'newest'],
      ['--tenant', 'acme', '--campaign', '-', '--campaign-id', 'autumn'],
      ['--tenant', 'acme', '--campaign', '/nowhere.json'],
    ]) {
      expect((await run('preview', ...flags)).code, flags.join(' ')).to.equal(2);
    }
    expect((await run('show', jobId, '--format', 'xml')).code).to.equal(2);
    expect(api.requests).to.deep.equal([]);
  });

  describe('show', () => {
    const changed = (recipientId: string, more: object = {}) => ({
      ...{ kind: 'new', toReview: true, tenantId: 'acme', rewardId: 'r-1', recipientId },
      ...{ campaignId: 'spring', ruleId: 'share', recipientRole: 'referrer', month: '2026-02' },
      ...{ before: '0', after: '1000.5' },
      ...more,
    });
    /** Three changes, two to a page. */
    const pages = () =>
      api.replyWith((request) => ({
        status: 200,
        body: request.includes('cursor=')
          ? { changes: [changed('=1+1', { before: '5', after: '-2' })], nextCursor: null }
          : { changes: [changed('ada'), changed('"b", c')], nextCursor: 'next' },
      }));
    const target = `GET /api/replay/previews/${jobId}/changes`;

    it('shows a preview again, and what became of it', async () => {
      const commit = {
        ...{ previewId: jobId, campaignId: 'spring', revision: 2, effectiveFrom: 'then' },
        ...{ publishedAt: 'now', by: 'ops', note: null, checkJobId: 'c-1', checkRefusal: null },
      };
      api.replyWith({ ...done, commit });
      const { out } = await run('show', jobId);
      expect(out).to.match(/^Job /).and.contain('\nPreview ');
      expect(out).to.contain('\nPublished: campaign spring, revision 2\n');
    });

    it('shows changes page by page as a table', async () => {
      pages();
      const flags = ['--changes', '--kind', 'new', '--rule', 'a&b', '--limit', '2'];
      const { out } = await run('show', jobId, ...flags);
      expect(out).to.match(
        /^recipientId +ruleId +month +kind +toReview +before +after +difference/,
      );
      expect(out).to.match(/\nada +share +2026-02 +new +yes +0 +1000.5 +\+1,000.5 +r-1\n/);
      expect(out).to.contain('There are more: --cursor next');
      expect(api.requests).to.deep.equal([`${target}?kind=new&rule=a%26b&limit=2`]);
    });

    it('gives all of them as CSV, in which no cell is a formula', async () => {
      pages();
      const { out } = await run('show', jobId, '--format', 'csv');
      expect(out.split('\n')).to.deep.equal([
        'tenantId,recipientId,rewardId,campaignId,ruleId,recipientRole,month,kind,toReview,before,after',
        'acme,ada,r-1,spring,share,referrer,2026-02,new,true,0,1000.5',
        'acme,"""b"", c",r-1,spring,share,referrer,2026-02,new,true,0,1000.5',
        "acme,'=1+1,r-1,spring,share,referrer,2026-02,new,true,5,-2",
        '',
      ]);
      expect(api.requests).to.deep.equal([
        `${target}?limit=200`,
        `${target}?limit=200&cursor=next`,
      ]);
    });

    it('gives all of them as JSON', async () => {
      pages();
      const { out } = await run(
        'show',
        jobId,
        '--changes',
        '--format',
        'json',
        '--month',
        '2026-02',
      );
      expect((JSON.parse(out) as { recipientId: string }[]).map((row) => row.recipientId)).to.eql([
        ...['ada', '"b", c', '=1+1'],
      ]);
      api.replyWith({ changes: [], nextCursor: null });
      expect(JSON.parse((await run('show', jobId, '--format', 'json')).out)).to.deep.equal([]);
    });
  });

  describe('commit', () => {
    const commit = {
      ...{ previewId: jobId, tenantId: 'acme', campaignId: 'spring', revision: 2 },
      ...{ effectiveFrom: '2026-01-01T00:00:00.000Z', publishedAt: '2026-03-01T12:00:00.000Z' },
      ...{ by: 'ops', note: 'agreed', checkJobId: 'c-1', checkRefusal: null },
    };
    const answers = (result: object, more: object = {}) =>
      api.replyWith((request) => ({
        status: 200,
        body: request.startsWith('POST')
          ? { ...commit, ...more }
          : jobOf({ kind: 'commit-check', status: 'done', result }),
      }));

    it('publishes, and waits for the check', async () => {
      const fact = {
        ...{ eventId: 'e-9', eventType: 'purchase-created', newUserId: 'bob' },
        ...{ occurredAt: '2026-02-28', receivedAt: '2026-03-01T11:59:59.000Z' },
      };
      answers({ ...identical, previewHolds: true, arrived: { events: 1, shown: [fact] } });
      const { code, out } = await run('commit', jobId, '--by', 'ops', '--note', 'agreed');
      expect(code).to.equal(0);
      expect(api.requests).to.deep.equal([
        `POST /api/replay/previews/${jobId}/commit {"by":"ops","note":"agreed"}`,
        'GET /api/replay/jobs/c-1',
      ]);
      expect(out).to.match(/^Published: campaign spring, revision 2\n/);
      expect(out).to.contain(
        '\nChecked: live is what the preview showed, and what has come since.\n',
      );
      expect(out).to.contain('\n1 event arrived between the preview and the commit:\n');
      expect(out).to.match(/\n2026-03-01T11:59:59.000Z +purchase-created +bob +2026-02-28 +e-9\n/);
    });

    it('ends with 1 when live came to something else', async () => {
      const nothing = { arrived: { events: 0, shown: [] } };
      answers({ ...different, previewHolds: true, ...nothing });
      const { code, out } = await run('commit', jobId);
      expect(code).to.equal(1);
      expect(out).to.contain('Different: live is not what the log gives.');
      expect(out).to.contain('No event arrived between the preview and the commit.');
      answers({ ...identical, outcome: 'different', previewHolds: false, ...nothing });
      expect((await run('commit', jobId)).out).to.contain('does not give what the preview showed');
    });

    it('does not wait for a check that nobody could be asked for yet', async () => {
      answers({}, { checkJobId: null });
      const { code, out } = await run('commit', jobId);
      expect([code, api.requests.length]).to.deep.equal([0, 1]);
      expect(out).to.contain('It is checked as soon as the replay service answers');
    });
  });
});
