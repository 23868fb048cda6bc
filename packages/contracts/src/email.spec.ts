import { expect } from 'chai';
import { isEmail } from './email.ts';

const accepted = [
  'a@localhost',
  'ann.o-hara+tag@example.co.uk',
  "!#$%&'*+-/=?^_`{|}~@example.com",
  '"quoted string"@example.com',
  '"a\\"b\\\\c@d"@example.com',
  '""@example.com',
  'a@[127.0.0.1]',
  'a@[001.2.3.255]',
  'a@[IPv6:::1]',
  'a@[ipv6:::]',
  'a@[IPv6:1:2:3:4:5:6:7:8]',
  'a@[IPv6:1::8]',
  'a@[IPv6:1:2:3:4:5:6:127.0.0.1]',
  'a@[IPv6:::ffff:127.0.0.1]',
  'a@[IPv6:1::127.0.0.1]',
  'a@[tag:content]',
  'a@xn--bcher-kva.example',
  'a@1.2',
  `${'a'.repeat(70)}@example.com`,
];

const refused = [
  '',
  'a',
  '@example.com',
  'a@',
  'a@@b',
  '.a@example.com',
  'a.@example.com',
  'a..b@example.com',
  'a b@example.com',
  '"a@example.com',
  'a"b"@example.com',
  '"a\n"@example.com',
  'a@-b.com',
  'a@b-.com',
  'a@b..com',
  'a@.b',
  'a@b.',
  'a@b_c.com',
  'ä@example.com',
  'a@bücher.example',
  'a@[127.0.0.256]',
  'a@[127.0.0]',
  'a@[IPv6:1:2:3:4:5:6:7]',
  'a@[IPv6:1:2:3:4:5:6:7::]',
  'a@[IPv6:1::2::3]',
  'a@[IPv6:12345::1]',
  'a@[IPv6:1:2:3:4:5::127.0.0.1]',
  'a@[IPv6:garbage]',
  'a@[no-tag]',
  'a@[tag:with space]',
  'Ann <a@example.com>',
  'a@example.com ',
  'a@example.com\n',
];

describe('e-mail (RFC 5321 grammar, design 8)', () => {
  for (const text of accepted) {
    it(`accepts ${JSON.stringify(text).slice(0, 60)}`, () => expect(isEmail(text)).to.equal(true));
  }
  for (const text of refused) {
    it(`refuses ${JSON.stringify(text)}`, () => expect(isEmail(text)).to.equal(false));
  }

  it('answers a long hostile text at once', () => {
    const before = process.threadCpuUsage();
    isEmail(`${'a.'.repeat(30_000)}@`);
    isEmail(`a@${'a-'.repeat(30_000)}`);
    isEmail(`"${'\\\\'.repeat(30_000)}`);
    expect(process.threadCpuUsage(before).user).to.be.below(200_000);
  });
});
