import { expect } from 'chai';
import {
  type AskedDispatcher,
  createAskedDispatcher,
  minute,
} from '../testing/asked-dispatcher.ts';

const by = 'ops@example.com';

describe('what the portal asks of the dispatcher', () => {
  let dispatcher: AskedDispatcher;

  before(async () => {
    dispatcher = await createAskedDispatcher();
  });
  beforeEach(() => dispatcher.renew());
  after(() => dispatcher.end());

  it('takes no action before the log was read, but answers what it knows', async () => {
    const [id] = await dispatcher.issue(1);
    dispatcher.mayWrite = false;
    const detail = 'The dispatcher is still reading the log; try again later.';
    const words: [string[], object][] = [
      [['deliveries', id!, 'resend'], { by }],
      [['webhook', 'recover'], { by, since: minute(0), limit: 1 }],
    ];
    for (const [path, body] of words) {
      expect(await dispatcher.ask(path, body)).to.deep.equal(['unavailable', { detail }]);
    }
    expect((await dispatcher.ask(['deliveries', id!, 'show'], {}))[0]).to.equal(200);
  });

  it('refuses a body of another shape and says what is wrong with it', async () => {
    const [id] = await dispatcher.issue(1);
    const [search, show] = [
      ['deliveries', 'search'],
      ['deliveries', id!, 'show'],
    ];
    const [resend, recover] = [
      ['deliveries', id!, 'resend'],
      ['webhook', 'recover'],
    ];
    const since = minute(0);
    const bodies: [string[], unknown, RegExp][] = [
      [search, {}, /limit/],
      [search, { limit: 0 }, /limit/],
      [search, { limit: 201 }, /limit/],
      [search, { limit: 1, state: 'lost' }, /state/],
      [search, { limit: 1, since: 'yesterday' }, /since/],
      [search, { limit: 1, since: '2026-13-45T00:00:00.000Z' }, /since/],
      [search, { limit: 1, cursor: 'x' }, /cursor/],
      [search, { limit: 1, cursor: cursorOf(`-271821-04-20T00:00:00.000Z ${id}`) }, /cursor/],
      [search, { limit: 1, cursor: cursorOf(`+275760-09-13T00:00:00.000Z ${id}`) }, /cursor/],
      [search, { limit: 1, cursor: cursorOf(`2026-03-01 ${id}`) }, /cursor/],
      [search, { limit: 1, cursor: cursorOf(`2026-02-30T99:00:00.000Z ${id}`) }, /cursor/],
      [search, { limit: 1, tenantId: 't2' }, /tenantId/],
      [show, { by }, /by/],
      [resend, { by: '' }, /by/],
      [resend, { by: 'a\0b' }, /by/],
      [resend, { by, note: 'n'.repeat(2_001) }, /note/],
      [resend, [], /body/],
      [recover, { by, limit: 1 }, /since/],
      [recover, { by, since, limit: 1_001 }, /limit/],
      [recover, { by, since, until: '2026-99-01T00:00:00.000Z', limit: 1 }, /until/],
      [['webhook', 'test'], { url: 'https://elsewhere.example' }, /url/],
      [['webhook', 'status'], { failing: true }, /failing/],
    ];
    for (const [path, body, detail] of bodies) {
      const [status, said] = await dispatcher.ask(path, body);
      expect(status, JSON.stringify(body)).to.equal(422);
      expect(JSON.stringify(said), JSON.stringify(body)).to.match(detail);
    }
    expect((await dispatcher.ask(['webhook', 'status'], {}, 't\0'))[0]).to.equal(404);
  });
});

function cursorOf(text: string): string {
  return Buffer.from(text).toString('base64url');
}
