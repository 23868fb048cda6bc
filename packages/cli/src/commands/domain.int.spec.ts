import { expect } from 'chai';
import { type AdminApi, startAdminApi } from '../testing/admin-api.ts';

describe('tributary domain add, prove, list and remove', () => {
  let api: AdminApi;
  before(async () => {
    api = await startAdminApi();
  });
  beforeEach(() => void api.requests.splice(0));
  after(() => api.stop());
  const run = (...argv: string[]) => api.run(['domain', ...argv, '--tenant', 'acme']);

  const at = '/api/tenants/acme/domains';
  const challenge = {
    value: 'tributary=abc',
    txtName: '_tributary-challenge.shop.example',
    fileUrl: 'https://shop.example/.well-known/tributary-domain-abc\u001b[2J',
  };
  const registered = {
    domain: 'shop.example',
    registeredAt: '2026-03-01T12:00:00.000Z',
    proof: 'none',
    failingSince: null,
    challenge,
  };

  it('registers a domain, and says when it was there', async () => {
    api.replyWith(() => ({ status: 201, body: registered }));
    const { code, out } = await run('add', 'SHOP.example');
    expect([code, api.requests]).to.deep.equal([0, [`POST ${at} {"domain":"SHOP.example"}`]]);
    expect(out).to.equal(
      'Domain registered\n' +
        '  domain        shop.example\n' +
        '  registeredAt  2026-03-01T12:00:00.000Z\n' +
        '  proof         none\n' +
        'To prove it, put this text\n' +
        '  tributary=abc\n' +
        'in a TXT record of _tributary-challenge.shop.example\n' +
        'or in a file at https://shop.example/.well-known/tributary-domain-abc\ufffd[2J\n' +
        'then: tributary domain prove shop.example\n',
    );
    api.replyWith(registered);
    expect((await run('add', 'shop.example')).out).to.match(/^It is registered\n/);
  });

  it('proves one, and takes it over when told to', async () => {
    api.replyWith({ ...registered, proof: 'dns' });
    const { code, out } = await run('prove', 'shop.example');
    expect(code).to.equal(0);
    expect(out)
      .to.match(/^Domain proved\n/)
      .and.not.contain('tributary=abc');
    await run('prove', 'shop.example', '--take-over');
    expect(api.requests).to.deep.equal([
      `POST ${at}/shop.example/prove`,
      `POST ${at}/shop.example/take-over`,
    ]);
  });

  it('lists them, or says how to add one', async () => {
    api.replyWith({ domains: [registered] });
    expect((await run('list')).out).to.equal(
      'domain        proof  failingSince  registeredAt\n' +
        'shop.example  none   -             2026-03-01T12:00:00.000Z\n',
    );
    api.replyWith({ domains: [] });
    expect((await run('list')).out).to.contain('tributary domain add');
    expect(api.requests).to.deep.equal([`GET ${at}`, `GET ${at}`]);
  });

  it('removes one, whatever is in its name', async () => {
    api.replyWith({ domain: '*.shop.example:8443', status: 'removed' });
    const { code, out } = await run('remove', '*.shop.example:8443');
    expect([code, api.requests]).to.deep.equal([0, [`DELETE ${at}/*.shop.example%3A8443`]]);
    expect(out).to.match(/^Domain removed\n/);
  });

  it('sends nothing without a tenant or a domain', async () => {
    for (const argv of [
      ['domain', 'add', 'shop.example'],
      ['domain', 'add', '--tenant', 'acme'],
    ]) {
      expect((await api.run(argv)).code).to.equal(2);
    }
    expect(api.requests).to.deep.equal([]);
  });
});
