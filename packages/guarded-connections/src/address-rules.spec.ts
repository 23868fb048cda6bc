import { expect } from 'chai';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { createAddressRules, parseNetworks } from './address-rules.ts';

/** The special-purpose registries of IANA, and what is set aside beside them. */
const specialIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32',
];
const specialIpv6 = [
  '::/128',
  '::1/128',
  '::/96',
  '::ffff:0:0/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '100:0:0:1::/64',
  '2001::/23',
  '2001::/32',
  '2001:2::/48',
  '2001:3::/32',
  '2001:4:112::/48',
  '2001:10::/28',
  '2001:20::/28',
  '2001:30::/28',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
  '4000::/3',
  '5f00::/16',
  '8000::/2',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
];

const refusalOf = createAddressRules([]);

describe('createAddressRules', () => {
  it('lets public addresses through', () => {
    const addresses = ['93.184.216.34', '1.1.1.1', '223.255.255.254', '2606:4700::1111', '2a00::1'];
    for (const address of addresses) expect(refusalOf(address), address).to.equal(undefined);
  });

  for (const network of [...specialIpv4, ...specialIpv6]) {
    it(`refuses any address in ${network}`, () => {
      fc.assert(
        fc.property(addressIn(network), (address) => {
          expect(refusalOf(address)).to.match(/^is not a public address/);
        }),
      );
    });
  }

  it('lets any other IPv4 address through', () => {
    const others = addressIn('0.0.0.0/0').filter((address) => !isInAny(specialIpv4, address));
    fc.assert(fc.property(others, (address) => refusalOf(address) === undefined));
  });

  it('lets any other address of the global unicast space through', () => {
    const others = addressIn('2000::/3').filter((address) => !isInAny(specialIpv6, address));
    fc.assert(fc.property(others, (address) => refusalOf(address) === undefined));
  });

  it('refuses whatever is not an address in its plain form', () => {
    const odd = [
      '',
      'localhost',
      '127.1',
      '0x7f.0.0.1',
      '010.0.0.1',
      '8.8.8.8/32',
      '[::1]',
      ' 1.1.1.1',
    ];
    for (const address of odd) expect(refusalOf(address), address).to.equal('is not an address');
  });

  it('refuses a link-local address with its zone', () => {
    expect(refusalOf('fe80::1%eth0')).to.match(/linkLocal/);
  });

  it('lets an allowed network through, and its family only', () => {
    const allows = createAddressRules(parseNetworks('127.0.0.0/8, fd00::/8'));
    for (const address of ['127.0.0.1', '127.255.0.9', 'fd00::1', '93.184.216.34']) {
      expect(allows(address), address).to.equal(undefined);
    }
    for (const address of ['10.0.0.1', '::1', '::ffff:127.0.0.1', 'fc00::1']) {
      expect(allows(address), address).to.match(/is not a public address/);
    }
  });
});

describe('parseNetworks', () => {
  it('reads nothing as no networks', () => {
    expect(parseNetworks(' ')).to.deep.equal([]);
  });

  it('names what is not a network', () => {
    for (const text of ['10.0.0.1', '10.0.0.0/33', 'fd00::/129', '10/8', 'x/8', '10.0.0.0/8/8']) {
      expect(() => parseNetworks(`127.0.0.0/8,${text}`), text).to.throw(`"${text}"`);
    }
  });
});

function addressIn(network: string): fc.Arbitrary<string> {
  const [base, prefix] = ipaddr.parseCIDR(network);
  const bytes = base.toByteArray();
  return fc
    .uint8Array({ minLength: bytes.length, maxLength: bytes.length })
    .map((random) => bytes.map((byte, at) => mix(byte, random[at]!, prefix - 8 * at)))
    .map((mixed) => ipaddr.fromByteArray(mixed).toString());
}

/** The first `fixedBits` of `base`, the others of `random`. */
function mix(base: number, random: number, fixedBits: number): number {
  const free = 0xff >> Math.min(8, Math.max(0, fixedBits));
  return (base & ~free) | (random & free);
}

function isInAny(networks: readonly string[], text: string): boolean {
  const address = ipaddr.parse(text);
  return networks.some((network) => address.match(ipaddr.parseCIDR(network)));
}
