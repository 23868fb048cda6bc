import { expect } from 'chai';
import { type AdminApi, startAdminApi } from '../testing/admin-api.ts';

describe('tributary dead-letters', () => {
  let api: AdminApi;
  before(async () => {
    api = await startAdminApi();
  });
  beforeEach(() => void api.requests.splice(0));
  after(() => api.stop());
  const run = (...argv: string[]) => api.run(['dead-letters', ...argv]);

  const item = {
    itemId: 'i1',
    status: 'open',
    origin: {
      ...{ topic: 'some.topic', partition: 3, offset: '17', key: 'acme:cara' },
      at: '2026-03-01T12:00:00.000Z',
    },
    readers: ['attribution', 'portal'].map((reader) => ({
      ...{ reader, reason: 'schema', detail: '/purchase: Expected required property' },
      putAsideAt: '2026-03-01T12:00:01.000Z',
    })),
    actions: [],
  };
  const page = (deadLetters: object[], nextCursor: string | null = null) => ({
    status: 200,
    body: { deadLetters, nextCursor, asOf: '2026-03-01T12:00:02.000Z' },
  });
  const conflict = {
    status: 409,
    body: { status: 409, code: 'CONFLICT', title: 'no', detail: 'It still breaks its contract.' },
  };

  it('lists what is open, with filters, and all when asked', async () => {
    api.replyWith(page([item], 'abc').body);
    const { code, out } = await run('list', '--topic', 'some.topic', '--limit', '1');
    expect(code).to.equal(0);
    expect(out).to.match(/i1 +open +some\.topic +3 +17 .*attribution,portal +\/purchase: /);
    expect(out).to.contain('There are more: --cursor abc');
    await run('list', '--status', 'all');
    expect(api.requests).to.deep.equal([
      'GET /api/dead-letters?status=open&topic=some.topic&limit=1',
      'GET /api/dead-letters',
    ]);
    api.replyWith(page([]).body);
    expect((await run('list')).out).to.match(/^No dead letters\.\n/);
  });

  it('shows one with its value, as text that steers no terminal, or says why there is none', async () => {
    const value = { text: '{"a":\u001b[31m1}\nsecond', bytes: 20, cut: false };
    const actions = [{ type: 'discarded', by: 'ops', note: 'old', at: '2026-03-02T00:00:00.000Z' }];
    api.replyWith({ ...item, actions, value });
    const { out } = await run('show', 'i1');
    expect(out).to.match(/^Dead letter i1\n {2}status +open\n/);
    expect(out).to.contain('Value (20 bytes)\n  {"a":\ufffd[31m1}\n  second\n');
    expect(out).to.match(/Done\ntype +by +note +at\ndiscarded +ops +old/);
    api.replyWith({ ...item, value: null });
    expect((await run('show', 'i1')).out).to.contain('not kept: it is about a person');
    api.replyWith({ ...item, value: { base64: '/w==', bytes: 900_000, cut: true } });
    expect((await run('show', 'i1')).out).to.match(/Value \(900000 bytes, .*base64.*\)\n {2}\/w==/);
  });

  it('redrives or discards one, with the name of who says so', async () => {
    api.replyWith({ ...item, status: 'redriven' });
    const { code, out } = await run('redrive', 'i/1', '--by', 'ops', '--note', 'new reader');
    expect([code, out.split('\n')[0]]).to.deep.equal([0, 'Redriven: it is on its topic again']);
    await run('discard', 'i1', '--by', 'ops');
    expect(api.requests).to.deep.equal([
      'POST /api/dead-letters/i%2F1/redrive {"by":"ops","note":"new reader"}',
      'POST /api/dead-letters/i1/discard {"by":"ops"}',
    ]);
    api.replyWith(() => conflict);
    const refused = await run('redrive', 'i1', '--by', 'ops');
    expect(refused.code).to.equal(1);
    expect(refused.err).to.contain('It still breaks its contract.');
  });

  it('redrives all that are open, the oldest first, and names those that were refused', async () => {
    api.replyWith((request) => {
      if (request.includes('cursor=next')) return page([{ ...item, itemId: 'i1' }]);
      if (request.startsWith('GET')) return page([{ ...item, itemId: 'i2' }], 'next');
      return request.includes('/i2/') ? conflict : { status: 200, body: item };
    });
    const { code, out } = await run('redrive', '--all', '--reader', 'attribution', '--by', 'ops');
    expect(code).to.equal(1);
    expect(out).to.contain('1 redriven, 1 refused.\n  i2: It still breaks its contract.');
    expect(api.requests).to.deep.equal([
      'GET /api/dead-letters?status=open&reader=attribution&limit=200',
      'GET /api/dead-letters?status=open&reader=attribution&limit=200&cursor=next',
      'POST /api/dead-letters/i1/redrive {"by":"ops"}',
      'POST /api/dead-letters/i2/redrive {"by":"ops"}',
    ]);
    api.replyWith(page([]).body);
    const none = await run('discard', '--all', '--by', 'ops');
    expect([none.code, none.out]).to.deep.equal([0, 'There was none to be discarded.\n']);
  });

  it('ends after the one under way at Ctrl-C, and at once when nobody can be asked', async () => {
    let interrupt = () => undefined as void;
    api.replyWith((request) => {
      if (request.startsWith('GET')) return page([item, item, item]);
      interrupt();
      return { status: 200, body: item };
    });
    const argv = ['dead-letters', 'redrive', '--all', '--by', 'ops'];
    const onInterrupt = (listener: () => void) => {
      interrupt = listener;
      return () => undefined;
    };
    const ended = await api.run(argv, { onInterrupt });
    expect(ended.code).to.equal(1);
    expect(ended.out).to.contain('1 redriven, 0 refused, 2 left.\nEnded by Ctrl-C');

    const gone = { status: 503, code: 'SERVICE_UNAVAILABLE', title: 'no', detail: 'not now' };
    let posts = 0;
    api.replyWith((request) => {
      if (request.startsWith('GET')) return page([item, item, item]);
      return (posts += 1) === 1 ? { status: 200, body: item } : { status: 503, body: gone };
    });
    const failed = await api.run(argv);
    expect(failed.code).to.equal(1);
    expect(failed.out).to.contain('Failed; 1 redriven before.');
    expect(failed.err).to.contain('not now');
    expect(posts).to.equal(2);
  });

  it('sends nothing when it is not clear what is meant', async () => {
    const wrong = [
      ['redrive', '--by', 'ops'],
      ['redrive', 'i1', '--all', '--by', 'ops'],
      ['redrive', 'i1', '--topic', 'some.topic', '--by', 'ops'],
      ['discard'],
      ['discard', 'i1', '--by', ''],
      ['show'],
    ];
    for (const argv of wrong) expect((await run(...argv)).code, argv.join(' ')).to.equal(2);
    expect(api.requests).to.deep.equal([]);
  });
});
