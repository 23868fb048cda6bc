import { eventually } from '@tributary/testkit/eventually';
import { attackMade } from '@tributary/testkit/attacks';
import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import type { ExchangeEnd } from '../domain/outcome.ts';
import { parseNetworks } from '@tributary/guarded-connections/address-rules';
import type { Exchange } from './exchange.ts';
import { type DnsServer, startDnsServer } from '@tributary/guarded-connections/testing/dns-server';
import { post, testExchange } from './testing/post.ts';
import {
  answerOk,
  type RawServer,
  startRawServer,
} from '@tributary/guarded-connections/testing/raw-server';

/** In these specs 127.0.0.2 and ::1 are as good as public; the rest of this machine is private. */
const asIfPublic = parseNetworks('127.0.0.2/32,::1/128');
const name = 'hooks.example.test';

describe('the guard of connections', () => {
  let dns: DnsServer;
  let outside: RawServer;
  /** On the same port as the one outside, so that only the address tells them apart. */
  let inside: RawServer;
  let exchanges: Exchange[] = [];

  beforeEach(async () => {
    dns = await startDnsServer();
    [outside, inside] = await eventually(startPair);
  });

  afterEach(async () => {
    await Promise.all(exchanges.map((exchange) => exchange.close()));
    exchanges = [];
    await Promise.all([dns.stop(), outside.stop(), inside.stop()]);
  });

  function client(changes: Parameters<typeof testExchange>[0] = {}): Exchange {
    const settings = { allowedNetworks: asIfPublic, dnsServers: [dns.address], ...changes };
    const exchange = testExchange(settings);
    exchanges.push(exchange);
    return exchange;
  }

  const url = (host: string) => `http://${host}:${outside.port}`;

  it('lets a name through whose addresses are all allowed', async () => {
    dns.answerWith(() => ({ addresses: ['127.0.0.2'] }));
    expect(await post(client(), url(name))).to.include({ end: 'answered' });
    expect(outside.requests[0]).to.match(new RegExp(`host: ${name}:${outside.port}`));
  });

  it('follows an alias', async () => {
    dns.answerWith(() => ({ addresses: ['127.0.0.2'], alias: 'shop.example.test' }));
    expect(await post(client(), url(name))).to.include({ end: 'answered' });
  });

  it('lets a name through that has IPv6 addresses only', async () => {
    const six = await startRawServer((socket) => answerOk(socket), { host: '::1' });
    try {
      dns.answerWith(() => ({ addresses: ['::1'] }));
      expect(await post(client(), `http://${name}:${six.port}`)).to.include({ end: 'answered' });
    } finally {
      await six.stop();
    }
  });

  it('goes on to the next address when one does not accept', async () => {
    const rules = parseNetworks('127.0.0.2/32,127.0.0.3/32');
    dns.answerWith(() => ({ addresses: ['127.0.0.3', '127.0.0.2'] }));
    expect(await post(client({ allowedNetworks: rules }), url(name))).to.include({
      end: 'answered',
    });
  });

  it('refuses a name with one private address beside public ones', async () => {
    const mixtures = [
      ['127.0.0.2', '10.0.0.1'],
      ['127.0.0.2', 'fd00::1'],
      ['127.0.0.2', '::ffff:127.0.0.2'],
      ['93.184.216.34', '169.254.169.254'],
    ];
    const exchange = client();
    for (const addresses of mixtures) {
      dns.answerWith(() => ({ addresses }));
      const end = await post(exchange, url(name));
      expect(end, addresses.join()).to.include({ end: 'no-answer', result: 'blocked' });
      expect(detailOf(end)).to.match(/is not a public address/);
      attackMade('ssrf', `a name with ${addresses.join()}`);
    }
    expect(outside.connections()).to.equal(0);
  });

  it('refuses an alias of something inside', async () => {
    dns.answerWith(() => ({ addresses: ['127.0.0.1'], alias: 'localhost' }));
    expect(await post(client(), url(name))).to.include({ result: 'blocked' });
    expect(inside.connections()).to.equal(0);
    attackMade('ssrf', 'an alias of this machine');
  });

  it('connects to the address that was looked at: one look-up, whatever the next would say', async () => {
    dns.answerWith((_name, turn) => ({ addresses: [turn === 0 ? '127.0.0.2' : '127.0.0.1'] }));
    expect(await post(client(), url(name))).to.include({ end: 'answered' });
    expect(dns.questions.toSorted()).to.deep.equal([`A ${name}`, `AAAA ${name}`]);
    expect([outside.requests.length, inside.connections()]).to.deep.equal([1, 0]);
    attackMade('ssrf', 'a name that turns private between look and connection');
  });

  it('looks again for each new connection: a name that turns private is refused then', async () => {
    await outside.stop();
    outside = await startRawServer(
      (socket) => socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'),
      { host: '127.0.0.2', port: inside.port },
    );
    dns.answerWith((_name, turn) => ({ addresses: [turn === 0 ? '127.0.0.2' : '127.0.0.1'] }));
    const exchange = client();
    expect(await post(exchange, url(name))).to.include({ end: 'answered' });
    expect(await post(exchange, url(name))).to.include({ result: 'blocked' });
    expect(inside.connections()).to.equal(0);
    attackMade('ssrf', 'a name that turns private between two deliveries');
  });

  it('asks once for many connections that are made at once', async () => {
    dns.answerWith(() => ({ addresses: ['127.0.0.2'] }));
    const exchange = client();
    await Promise.all(Array.from({ length: 20 }, () => post(exchange, url(name))));
    expect(outside.requests).to.have.length(20);
    expect(dns.questions.length).to.be.at.most(4);
  });

  describe('names that are not found', () => {
    it('are a dns_error that says why', async () => {
      const exchange = client();
      const cases = [
        ['no-such-name', /no such name/],
        ['server-failure', /the name server failed/],
        [{ addresses: [] }, /has no address/],
      ] as const;
      for (const [answer, why] of cases) {
        dns.answerWith(() => answer);
        const end = await post(exchange, url(name));
        expect(end).to.include({ end: 'no-answer', result: 'dns_error' });
        expect(detailOf(end)).to.match(why);
      }
    });

    it('are a dns_error when an alias leads to no address', async () => {
      dns.answerWith(() => ({ addresses: [], alias: 'nowhere.example' }));
      const end = await post(client(), url(name));
      expect(end).to.include({ end: 'no-answer', result: 'dns_error' });
      expect(detailOf(end)).to.equal(`${name}: the name has no address (ENODATA)`);
    });

    it('are a dns_error too when no name server answers', async () => {
      dns.answerWith(() => 'silent');
      const end = await post(client({ timeoutMs: patiently(1_500) }), url(name));
      expect(end).to.include({ end: 'no-answer', result: 'dns_error' });
      expect(detailOf(end)).to.match(/did not answer in time/);
    });

    it('do not hold up the look-up of another: not four of them, not forty', async () => {
      dns.answerWith((asked) => (asked === name ? { addresses: ['127.0.0.2'] } : 'silent'));
      const exchange = client({ timeoutMs: 60_000 });
      const hanging = Promise.allSettled(
        Array.from({ length: 40 }, (_, nth) => post(exchange, url(`silent${nth}.example.test`))),
      );
      expect(await post(exchange, url(name))).to.include({ end: 'answered' });
      await exchange.close();
      await hanging;
    });
  });

  it('does not wait for the AAAA of a name server that is silent about it', async () => {
    dns.answerWith((_name, _turn, type) =>
      type === 'A' ? { addresses: ['127.0.0.2'] } : 'silent',
    );
    const end = await post(client(), url(name));
    expect(end).to.include({ end: 'answered' });
  });

  it('refuses this machine by its own name, in every spelling of it', async () => {
    const exchange = client({ allowedNetworks: [] });
    for (const host of ['localhost', 'LOCALHOST', 'localhost.', 'a.localhost']) {
      const { origin } = new URL(url(host));
      expect(await post(exchange, origin), host).to.include({ result: 'blocked' });
      attackMade('ssrf', host);
    }
    expect(inside.connections()).to.equal(0);
  });

  it('refuses every spelling of a private address', async () => {
    const exchange = client({ allowedNetworks: [] });
    for (const host of spellings) {
      const { origin } = new URL(url(host));
      const end = await post(exchange, origin);
      expect(end, host).to.include({ end: 'no-answer', result: 'blocked' });
      expect(detailOf(end), host).to.match(/not a public address/);
      attackMade('ssrf', host);
    }
    expect([inside.connections(), outside.connections()]).to.deep.equal([0, 0]);
    expect(dns.questions).to.deep.equal([]);
  });
});

/** All of them are addresses to a URL; none is looked up. */
const spellings = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0x7F.0x00.0x00.0x01',
  '017700000001',
  '0177.0.0.01',
  '00000177.0.0.1',
  '127.0.0.0x1',
  '１２７.０.０.１',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '0',
  '0.0.0.0',
  '10.1.2.3',
  '167838211',
  '172.16.0.1',
  '192.168.1.1',
  '192.168.257',
  '100.64.0.1',
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '192.0.0.192',
  '224.0.0.1',
  '255.255.255.255',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:7f00:0001]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::10.0.0.1]',
  '[2002:7f00:1::]',
  '[2002:c0a8:101::1]',
  '[2001:0:7f00:1::]',
  '[2001:db8::1]',
  '[fe80::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[fec0::1]',
];

/** Both on one port, which somebody else may have on one of both addresses. */
async function startPair(): Promise<[RawServer, RawServer]> {
  const one = await startRawServer((socket) => answerOk(socket), { host: '127.0.0.2' });
  try {
    const { port } = one;
    return [one, await startRawServer((socket) => answerOk(socket), { host: '127.0.0.1', port })];
  } catch (error) {
    await one.stop();
    throw error;
  }
}

function detailOf(end: ExchangeEnd): string {
  return end.end === 'answered' ? '' : (end.detail ?? '');
}
