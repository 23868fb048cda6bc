import { parseNetworks } from '@tributary/guarded-connections/address-rules';
import {
  type Authority,
  createAuthority,
} from '@tributary/guarded-connections/testing/certificates';
import { type DnsServer, startDnsServer } from '@tributary/guarded-connections/testing/dns-server';
import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createProofFinder, type ProofFinder, proofPlaces } from './find-proof.ts';

const challenge = 'c'.repeat(32);

describe('the proof of a domain', () => {
  let dns: DnsServer;
  let authority: Authority;
  let server: Server;
  let proofs: ProofFinder;
  let answer: (req: IncomingMessage, res: ServerResponse) => void;
  let domain: string;

  before(async () => {
    dns = await startDnsServer();
    authority = await createAuthority();
    const certificate = await authority.issue({ names: 'DNS:shop.example.test' });
    server = createServer(certificate, (req, res) => answer(req, res)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    domain = `shop.example.test:${(server.address() as AddressInfo).port}`;
    proofs = createFinder('127.0.0.0/8');
  });
  beforeEach(() => {
    answer = (_req, res) => res.writeHead(404).end();
    dns.answerWith((_name, _turn, type) => (type === 'TXT' ? 'no-such-name' : own));
  });
  after(async () => {
    await proofs.close();
    server.closeAllConnections();
    server.close();
    await Promise.all([dns.stop(), authority.remove()]);
  });

  const own = { addresses: ['127.0.0.1'] };
  const createFinder = (networks: string) =>
    createProofFinder({
      allowedNetworks: parseNetworks(networks),
      dnsServers: [dns.address],
      extraCa: authority.cert,
    });

  it('is a TXT record below the host, beside any others', async () => {
    dns.answerWith((name, _turn, type) =>
      type === 'TXT' && name === '_tributary-challenge.shop.example.test'
        ? { addresses: [], texts: ['v=spf1 -all', `tributary=${challenge}`] }
        : own,
    );
    expect(await proofs.find(domain, challenge)).to.deep.equal({ found: 'dns' });
    expect(await proofs.find('*.shop.example.test', challenge)).to.deep.equal({ found: 'dns' });
    expect(await proofs.find(domain, 'd'.repeat(32))).to.have.property('found', 'none');
  });

  it('is a file on the host itself, asked for over TLS', async () => {
    answer = (req, res) => {
      const isThere = req.url === `/.well-known/tributary-domain-${challenge}`;
      res.writeHead(isThere ? 200 : 404).end(`tributary=${challenge}\n`);
    };
    expect(await proofs.find(domain, challenge)).to.deep.equal({ found: 'file' });
    // One host does not speak for all of those below it.
    expect(await proofs.find(`*.${domain}`, challenge)).to.have.property('found', 'none');
  });

  it('is no redirect, no page that echoes its address, no endless answer', async () => {
    for (const wrong of [
      (_req: IncomingMessage, res: ServerResponse) =>
        res.writeHead(302, { location: 'https://elsewhere.example.test/' }).end(),
      (req: IncomingMessage, res: ServerResponse) => res.end(`no ${req.url}, tributary=`),
      (_req: IncomingMessage, res: ServerResponse) =>
        res.end(`tributary=${challenge}${'x'.repeat(100_000)}`),
    ]) {
      answer = wrong;
      expect(await proofs.find(domain, challenge)).to.have.property('found', 'none');
    }
  });

  it('is never looked for inside: a private address is not connected to', async () => {
    let asked = 0;
    answer = (_req, res) => {
      asked += 1;
      res.end(`tributary=${challenge}`);
    };
    const guarded = createFinder('');
    const result = await guarded.find(domain, challenge);
    await guarded.close();
    expect(result).to.have.property('found', 'none');
    expect(JSON.stringify(result)).to.contain('not a public address');
    expect(asked).to.equal(0);
  });

  it('has its places named: none in DNS for an address, no file for a wildcard', () => {
    expect(proofPlaces('192.0.2.7:8443', challenge)).to.include({ txtName: null });
    expect(proofPlaces('*.a.example', challenge)).to.deep.equal({
      value: `tributary=${challenge}`,
      txtName: '_tributary-challenge.a.example',
      fileUrl: null,
    });
  });
});
