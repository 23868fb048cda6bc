import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AdminApi, startAdminApi } from '../testing/admin-api.ts';
import type { ProcessContext } from '../process-context.ts';

describe('tributary processor connect, list, show, check, rotate, repair and disconnect', () => {
  let api: AdminApi;
  let cwd: string;
  before(async () => {
    api = await startAdminApi();
    cwd = await mkdtemp(join(tmpdir(), 'tributary-processor-'));
    await writeFile(join(cwd, 'key.txt'), 'rk_test_1\n');
    await writeFile(join(cwd, 'secret.txt'), 'whsec_1\r\n');
    await writeFile(join(cwd, 'empty.txt'), '\n');
  });
  beforeEach(() => void api.requests.splice(0));
  after(async () => {
    api.stop();
    await rm(cwd, { recursive: true });
  });
  const run = (argv: string[], more: Partial<ProcessContext> = {}) =>
    api.run(['processor', ...argv, '--tenant', 'acme'], { cwd, ...more });

  const at = '/api/tenants/acme/processor-connections';
  const connection = {
    ...{ connectionId: 'c0000000000000001', status: 'active', livemode: false },
    ...{ apiVersion: '2025-03-31.basil', taxPolicy: 'gross' },
    endpointId: 'we_1',
    previousEndpoint: { endpointId: 'we_0', until: '2026-03-04T12:00:00.000Z' },
    lastEventAt: '2026-03-01T12:00:00.000Z',
    silent: false,
    failing: { since: '2026-03-01T13:00:00.000Z', detail: 'Invalid API key' },
    items: { reported: 5, waiting: 1, unmatched: 7, ignored: 2 },
  };

  it('connects with a key from a file, and never prints it', async () => {
    api.replyWith(() => ({ status: 201, body: { ...connection, check: null } }));
    const { code, out } = await run(['connect', '--api-key-file', 'key.txt']);
    expect(code).to.equal(0);
    expect(api.requests).to.deep.equal([`POST ${at} {"apiKey":"rk_test_1"}`]);
    expect(out).to.match(/^Connected\n/);
    expect(out)
      .to.match(/connectionId +c0000000000000001\n/)
      .and.match(/endpointId +we_1\n/);
    expect(out).to.contain('could not be checked in time').and.not.contain('rk_test_1');
  });

  it('shows the check after it, and exits 1 when it fails', async () => {
    const finding = { check: 'way in', ok: true, detail: 'A test event came through.' };
    api.replyWith({ ...connection, check: { ok: true, findings: [finding] } });
    const good = await run(['connect', '--api-key-file', 'key.txt']);
    expect([good.code, good.out.split('\n').at(-2)]).to.deep.equal([0, 'All is in order.']);
    api.replyWith({ ...connection, check: { ok: false, findings: [{ ...finding, ok: false }] } });
    const bad = await run(['connect', '--api-key-file', 'key.txt']);
    expect([bad.code, bad.err]).to.deep.equal([1, api.named]);
    expect(bad.out).to.match(/\nFAILED +way in +A test event came through\.\nNot all is/);
  });

  it('connects with a key from the standard input and all that may be said', async () => {
    api.replyWith(connection);
    const { code, out } = await run(
      [
        ...['connect', '--api-key-file', '-', '--api-version', '2020-08-27', '--tax-policy', 'net'],
        ...['--signing-secret-file', 'secret.txt', '--endpoint-id', 'we_2', '--by', 'ops'],
      ],
      {
        input: (async function* () {
          yield 'rk_test_2\n';
        })(),
      },
    );
    expect([code, out.split('\n')[0]]).to.deep.equal([0, 'It is connected']);
    expect(api.requests).to.deep.equal([
      `POST ${at} {"apiKey":"rk_test_2","signingSecret":"whsec_1","apiVersion":"2020-08-27",` +
        '"taxPolicy":"net","endpointId":"we_2","by":"ops"}',
    ]);
  });

  it('sends nothing without a key, with an empty one, or two of one standard input', async () => {
    for (const flags of [
      [],
      ['--api-key-file', 'missing.txt'],
      ['--api-key-file', 'empty.txt'],
      ['--api-key-file', 'key.txt', '--signing-secret-file', 'empty.txt'],
      ['--api-key-file', '-', '--signing-secret-file', '-'],
      ['--api-key-file', 'key.txt', '--tax-policy', 'both'],
    ]) {
      expect((await run(['connect', ...flags])).code, flags.join(' ')).to.equal(2);
    }
    expect(api.requests).to.deep.equal([]);
  });

  it('lists how each connection fares', async () => {
    api.replyWith({ connections: [connection, { ...connection, failing: null }] });
    const { out } = await run(['list']);
    const [head, first, second] = out.split('\n');
    expect(head).to.match(
      /^connectionId .*silent +failing +reported +waiting +unmatched +ignored$/,
    );
    expect(first).to.match(/false +since 2026-03-01T13:00:00\.000Z: Invalid API key +5 +1 +7 +2$/);
    expect(second).to.match(/false +- +5 +1 +7 +2$/);
    expect(api.requests).to.deep.equal([`GET ${at}`]);
    api.replyWith({ connections: [connection], statusUnavailable: 'processor-events is away' });
    expect((await run(['list'])).out).to.contain('processor-events is away');
    api.replyWith({ connections: [] });
    expect((await run(['list'])).out).to.contain('tributary processor connect');
  });

  it('shows one', async () => {
    api.replyWith(connection);
    const { out } = await run(['show', 'c/1']);
    expect(api.requests).to.deep.equal([`GET ${at}/c%2F1`]);
    expect(out)
      .to.match(/^Connection c\/1\n/)
      .and.match(/items\.unmatched +7\n/)
      .and.match(/previousEndpoint\.endpointId +we_0\n/)
      .and.not.contain('{');
  });

  it('prints each check, and exits 1 when one fails', async () => {
    const good = { check: 'key', ok: true, detail: 'Stripe takes the key.' };
    api.replyWith({ ok: true, findings: [good] });
    const passed = await run(['check', 'c1']);
    expect(passed.code).to.equal(0);
    expect(passed.out).to.match(/\nok +key +Stripe takes the key\.\nAll is in order\.\n$/);
    const bad = { check: 'endpoint', ok: false, detail: 'It is disabled\u001b[2J.' };
    api.replyWith({ ok: false, findings: [good, bad] });
    const failed = await run(['check', 'c1']);
    expect([failed.code, failed.err]).to.deep.equal([1, api.named]);
    expect(failed.out).to.match(/\nFAILED +endpoint +It is disabled\ufffd\[2J\.\nNot all/);
    const repaired = await run(['repair', 'c1']);
    expect(repaired.code).to.equal(1);
    expect(api.requests).to.deep.equal([
      `POST ${at}/c1/check {}`,
      `POST ${at}/c1/check {}`,
      `POST ${at}/c1/repair {}`,
    ]);
  });

  it('rotates with an overlap of three days, or as said', async () => {
    api.replyWith(connection);
    await run(['rotate', 'c1']);
    await run(['rotate', 'c1', '--overlap-hours', '0']);
    await run(['rotate', 'c1', '--overlap-hours', 'soon']);
    expect(api.requests).to.deep.equal([
      `POST ${at}/c1/rotate {"overlapHours":72}`,
      `POST ${at}/c1/rotate {"overlapHours":0}`,
      `POST ${at}/c1/rotate {"overlapHours":"soon"}`,
    ]);
  });

  it('rotates and repairs with what Stripe does not tell', async () => {
    api.replyWith({ ...connection, ok: true, findings: [], repaired: ['endpoint', 'key'] });
    await run(['rotate', 'c1', '--signing-secret-file', 'secret.txt', '--by', 'ops']);
    const { code, out } = await run([
      ...['repair', 'c1', '--api-key-file', 'key.txt', '--signing-secret-file', 'secret.txt'],
    ]);
    expect(code).to.equal(0);
    expect(out)
      .to.match(/repaired +endpoint, key\n/)
      .and.match(/\nAll is in order\.\n$/);
    expect(api.requests).to.deep.equal([
      `POST ${at}/c1/rotate {"overlapHours":72,"signingSecret":"whsec_1","by":"ops"}`,
      `POST ${at}/c1/repair {"apiKey":"rk_test_1","signingSecret":"whsec_1"}`,
    ]);
  });

  it('disconnects with a name and a reason, and not without', async () => {
    api.replyWith({ ...connection, status: 'disconnected' });
    expect((await run(['disconnect', 'c1', '--by', 'ops'])).code).to.equal(2);
    const { code, out } = await run(['disconnect', 'c1', '--by', 'ops', '--reason', 'moved']);
    expect(code).to.equal(0);
    expect(out).to.match(/^Disconnected\n/);
    expect(api.requests).to.deep.equal([`POST ${at}/c1/disconnect {"by":"ops","reason":"moved"}`]);
  });

  it('shows why it was refused', async () => {
    const detail = 'Stripe does not take this key. Make a restricted key and connect again.';
    api.replyWith(() => ({
      status: 422,
      body: { status: 422, code: 'VALIDATION_ERROR', title: 'x', detail },
    }));
    const { code, err } = await run(['connect', '--api-key-file', 'key.txt']);
    const refused = `Refused, 422 VALIDATION_ERROR: ${detail}\n`;
    expect([code, err]).to.deep.equal([1, `${api.named}${refused}`]);
  });
});
