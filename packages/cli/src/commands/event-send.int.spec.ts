import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AdminApi, startAdminApi } from '../testing/admin-api.ts';

const purchase = ['--user', 'u1', '--invoice', 'i1', '--currency', 'EUR', '--amount', '4900'];
const when = ['--occurred-at', '2026-01-01T00:00:00Z'];

describe('tributary event send', () => {
  let api: AdminApi;
  let cwd: string;
  before(async () => {
    api = await startAdminApi();
    cwd = await mkdtemp(join(tmpdir(), 'tributary-event-'));
    const key = { accessKeyId: 'ak-1', secretAccessKey: 's' };
    await writeFile(
      join(cwd, 'demo.json'),
      JSON.stringify({ baseUrl: api.url, tenants: [{ tenantId: 'acme', ...key }] }),
    );
    await writeFile(join(cwd, 'secret.txt'), 'other\n');
    await writeFile(join(cwd, 'event.json'), '{"amount":49.00}');
  });
  after(async () => {
    api.stop();
    await rm(cwd, { recursive: true, force: true });
  });
  beforeEach(() => {
    api.requests.length = 0;
    api.keys.length = 0;
    api.replyWith((request) =>
      request.startsWith('POST /token')
        ? { status: 201, body: { accessToken: 'at', expiresIn: 60 } }
        : { status: 202, body: { eventId: 'e1', receivedAt: '2026-01-01T00:00:01Z' } },
    );
  });

  const env = () => ({
    TRIBUTARY_ADMIN_URL: api.url,
    TRIBUTARY_LOCAL_STATE_DIR: cwd,
  });
  const send = (...argv: string[]) => api.run(['event', 'send', ...argv], { cwd, env: env() });

  it('sends an event of flags with the key of a demo tenant', async () => {
    const { code, out } = await send(
      ...['purchase-created', '--tenant', 'acme', '--ucc', 'c1', ...purchase, ...when],
      ...['--interval', 'monthly'],
    );
    expect(code).to.equal(0);
    expect(out).to.equal('purchase-created  e1\n1 event accepted.\n');
    expect(api.requests).to.deep.equal([
      'POST /token {"accessKeyId":"ak-1","secretAccessKey":"s"}',
      'POST /v2/events/purchase-created {"ucc":"c1","occurredAt":"2026-01-01T00:00:00Z",' +
        '"newUser":{"id":"u1"},"invoiceId":"i1","currency":"EUR","amount":4900,' +
        '"subscription":{"interval":"monthly"}}',
    ]);
  });

  it('sends a file to the byte, with a key that is given', async () => {
    const key = ['--access-key-id', 'ak-2', '--secret-file', 'secret.txt'];
    const file = ['--file', 'event.json'];
    expect((await send('purchase-refunded', ...file, ...key)).code).to.equal(0);
    expect((await send('legacy', ...file, '--access-token-file', 'secret.txt')).code).to.equal(0);
    expect(api.requests).to.deep.equal([
      'POST /token {"accessKeyId":"ak-2","secretAccessKey":"other"}',
      'POST /v2/events/purchase-refunded {"amount":49.00}',
      'POST /events {"amount":49.00}',
    ]);
  });

  it('sends a scenario in order, and fills in what its events leave out', async () => {
    const signup = { type: 'signup-created', event: { ucc: 'own', occurredAt: 't' } };
    const demo = { type: 'demo-attended', event: { occurredAt: 't' } };
    await writeFile(join(cwd, 'scenario.json'), JSON.stringify([signup, demo]));
    const { out } = await send('--tenant', 'acme', '--scenario', 'scenario.json', '--ucc', 'c1');
    expect(out).to.equal('signup-created  e1\ndemo-attended  e1\n2 events accepted.\n');
    expect(api.requests.slice(1)).to.deep.equal([
      'POST /v2/events/signup-created {"ucc":"own","occurredAt":"t"}',
      'POST /v2/events/demo-attended {"ucc":"c1","occurredAt":"t"}',
    ]);
  });

  it('reports every mistake of a scenario and sends nothing', async () => {
    await writeFile(join(cwd, 'wrong.json'), '[{"type":"refund","event":{}},{"event":1,"at":2}]');
    const { code, err } = await send('--tenant', 'acme', '--scenario', 'wrong.json');
    expect(code).to.equal(2);
    expect(err).to.equal(
      'wrong.json:\n  /0/type: must be a type of event\n  /1/type: must be a type of event\n' +
        '  /1/event: must be an object\n  /1/at: is no field of a scenario\n',
    );
    expect(api.requests).to.deep.equal([]);
  });

  it('sends the numbers of a scenario as they are written', async () => {
    const text = '[{"type":"legacy","event":{"amount":49.00}}, {"type":"signup-created",';
    await writeFile(join(cwd, 'exact.json'), `${text}"event":{"n":[9007199254740993, 1e2]}}]`);
    await send('--tenant', 'acme', '--scenario', 'exact.json');
    expect(api.requests[1]).to.equal('POST /events {"amount":49.00}');
    expect(api.requests[2]).to.match(/"occurredAt":"[^"]+","n":\[9007199254740993,1e2\]\}$/);
    await writeFile(join(cwd, 'numbers.json'), '[1,{"type":"legacy","event":2}]');
    const { err } = await send('--tenant', 'acme', '--scenario', 'numbers.json');
    expect(err).to.equal('numbers.json:\n  /0: must be an object\n  /1/event: must be an object\n');
  });

  it('prints a line of JSON for each event that was accepted before one was refused', async () => {
    api.replyWith((request) => {
      if (request.startsWith('POST /token')) return { status: 201, body: { accessToken: 'at' } };
      if (request.startsWith('POST /v2/events/signup'))
        return { status: 202, body: { eventId: 'e1' } };
      return { status: 422, body: { status: 422, code: 'X', title: 'x', detail: 'x' } };
    });
    const steps = ['signup-created', 'signup-created', 'demo-attended'];
    const scenario = JSON.stringify(steps.map((type) => ({ type, event: {} })));
    await writeFile(join(cwd, 'three.json'), scenario);
    const { code, out } = await send('--tenant', 'acme', '--scenario', 'three.json', '--json');
    expect(code).to.equal(1);
    expect(out).to.equal('{"type":"signup-created","eventId":"e1"}\n'.repeat(2));
  });

  it('sends an amount as a number only where it is one as it is written', async () => {
    const amounts = ['9007199254740991', '0049', '9007199254740993'];
    for (const amount of amounts) {
      await send('signup-created', '--tenant', 'acme', '--amount', amount, ...when);
    }
    const sent = api.requests.flatMap((request) => /"amount":(.*)\}/.exec(request)?.[1] ?? []);
    expect(sent).to.deep.equal(['9007199254740991', '"0049"', '"9007199254740993"']);
  });

  it('sends an idempotency key in UTF-8, and only with a time that stays the same', async () => {
    const keyed = ['signup-created', '--tenant', 'acme', '--idempotency-key'];
    expect((await send(...keyed, 'Rechnung-17-€', ...when)).code).to.equal(0);
    expect(api.keys).to.deep.equal(['Rechnung-17-€']);
    api.requests.length = 0;
    const timeless = await send(...keyed, 'k');
    expect(timeless).to.include({ code: 2 });
    expect(timeless.err).to.include('--idempotency-key needs --occurred-at');
    expect(await send(...keyed, '', ...when)).to.include({ code: 2 });

    const event = { idempotencyKey: 'k' };
    const steps = [
      { type: 'signup-created', event },
      { type: 'signup-created', idempotencyKey: '', event: {} },
    ];
    await writeFile(join(cwd, 'keyed.json'), JSON.stringify(steps));
    expect((await send('--tenant', 'acme', '--scenario', 'keyed.json')).err).to.equal(
      'keyed.json:\n  /0/event/occurredAt: is required with an idempotencyKey\n' +
        '  /1/idempotencyKey: must be a text that is not empty\n',
    );
    expect(api.requests).to.deep.equal([]);
  });

  it('refuses flags that would not count', async () => {
    const refused = async (...argv: string[]) => {
      const { code, err } = await send(...argv);
      expect(code).to.equal(2);
      return err.trimEnd().split('\n');
    };
    expect(
      await refused('legacy', '--file', '-', '--amount', '1', '--ucc', 'c', '--secret-file', '-'),
    ).to.deep.equal([
      '--file does not go with --ucc, --amount.',
      'Only one of --file, --secret-file can be -.',
    ]);
    const scenario = ['--scenario', 's.json', '--ucc', 'c'];
    expect(
      await refused(...scenario, '--file', 'f', '--idempotency-key', 'k', '--occurred-at', 't'),
    ).to.include('--scenario does not go with --file, --idempotency-key, --occurred-at.');
    expect(
      await refused(
        ...[...scenario, '--tenant', 'acme', '--access-token-file', 't', '--access-key-id', 'a'],
      ),
    ).to.deep.equal([
      '--access-token-file does not go with --access-key-id.',
      '--tenant does not go with --access-token-file, --access-key-id.',
    ]);
    expect(await refused(...scenario)).to.have.lengthOf(1);
    expect(api.requests).to.deep.equal([]);
  });

  it('names how to get a key for a tenant whose key is not known', async () => {
    const { code, err } = await send('signup-created', '--tenant', 'other', '--ucc', 'c');
    expect(code).to.equal(2);
    expect(err).to.contain('tributary access-key issue --tenant other');
    expect(api.requests).to.deep.equal([]);
  });
});
