import { isOriginOfDomain } from '@tributary/contracts/registered-domain';
import { expect } from 'chai';
import fc from 'fast-check';
import { warnOfSharedDomain } from './shared-domains.ts';

describe('warnings about a domain', () => {
  const tenantsWith = (domain: string, others: [string, string][]) =>
    warnOfSharedDomain(
      domain,
      others.map(([tenantId, theirs]) => ({ tenantId, domain: theirs })),
    );

  for (const [mine, theirs] of [
    ['shop.example', 'shop.example'],
    ['www.shop.example', '*.shop.example'],
    ['*.shop.example', 'www.shop.example'],
    ['*.shop.example', '*.shop.example'],
    ['*.eu.shop.example', '*.shop.example'],
    ['*.shop.example', '*.eu.shop.example'],
    ['localhost:3000', 'localhost:3000'],
    ['[::1]:3000', '[::1]:3000'],
  ] as const) {
    it(`names the tenant that has ${theirs} to one that registers ${mine}`, () => {
      const [warning, ...more] = tenantsWith(mine, [['other', theirs]]);
      expect(more).to.deep.equal([]);
      expect(warning).to.include({ code: 'SHARED_WITH_TENANT', pointer: '/domain' });
      expect(warning?.detail).to.contain('tenant other').and.contain(`(${theirs})`);
    });
  }

  for (const [mine, theirs] of [
    ['shop.example', '*.shop.example'],
    ['shop.example', 'www.shop.example'],
    ['shop.example', 'shop.example:8443'],
    ['*.shop.example', '*.myshop.example'],
    ['localhost:3000', 'localhost:3001'],
  ] as const) {
    it(`says nothing to one that registers ${mine} beside ${theirs}`, () => {
      expect(tenantsWith(mine, [['other', theirs]])).to.deep.equal([]);
    });
  }

  it('warns wherever a page lives at both, and nowhere else', () => {
    const label = fc.constantFrom('a', 'b', 'any');
    const host = fc
      .tuple(fc.array(label, { maxLength: 3 }), fc.constantFrom('', ':8443'))
      .map(([labels, port]) => `${[...labels, 'shop', 'example'].join('.')}${port}`);
    const domain = fc
      .tuple(host, fc.boolean())
      .map(([name, isWide]) => (isWide ? `*.${name}` : name));
    const livesAt = (page: string, at: string) => isOriginOfDomain(`https://${page}`, at, 'prod');
    const pageOf = (at: string) => at.replace(/^\*/, 'any');
    fc.assert(
      fc.property(domain, domain, host, (mine, theirs, page) => {
        const isWarned = tenantsWith(mine, [['other', theirs]]).length > 0;
        const pages = [page, pageOf(mine), pageOf(theirs)];
        const isShared = pages.some((one) => livesAt(one, mine) && livesAt(one, theirs));
        expect(isWarned).to.equal(isShared);
      }),
    );
  });

  it('warns of each tenant once, with all of its domains in question', () => {
    const warnings = tenantsWith('*.shop.example', [
      ['one', 'a.shop.example'],
      ['one', 'b.shop.example'],
      ['two', '*.shop.example'],
      ['two', 'other.example'],
    ]);
    expect(warnings.map(({ detail }) => /^tenant .*\)/.exec(detail)?.[0])).to.deep.equal([
      'tenant one has pages there too (a.shop.example, b.shop.example)',
      'tenant two has pages there too (*.shop.example)',
    ]);
  });
});
