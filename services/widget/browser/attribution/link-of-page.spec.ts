import { expect } from 'chai';
import { addLink, readLink, sameLink } from './link-of-page.ts';

describe('the link in an address', () => {
  for (const [address, link] of [
    ['https://a.example/?ucc=Ada1', { ucc: 'Ada1', productId: undefined }],
    ['https://a.example/join?productId=p&ucc=Ada1#x', { ucc: 'Ada1', productId: 'p' }],
    ['https://a.example/?ucc=%C3%84%20da+1', { ucc: 'Ä da 1', productId: undefined }],
    ['https://a.example/?ucc=one&ucc=two', { ucc: 'one', productId: undefined }],
    [`https://a.example/?ucc=a&productId=${'p'.repeat(256)}`, { ucc: 'a', productId: undefined }],
    ['https://a.example/', undefined],
    ['https://a.example/?ucc=', undefined],
    ['https://a.example/?UCC=a', undefined],
    ['https://a.example/?ucc=a%00', undefined],
    [`https://a.example/?ucc=${'a'.repeat(256)}`, undefined],
    ['https://a.example/#?ucc=a', undefined],
    ['about:srcdoc', undefined],
    ['document', undefined], // what some browsers call the page that they opened
  ] as const) {
    it(`${address.slice(0, 60)} is ${link ? JSON.stringify(link) : 'none'}`, () => {
      expect(readLink(address)).to.deep.equal(link);
    });
  }

  it('is another one with another code or another product', () => {
    const link = { ucc: 'a', productId: 'p' };
    expect(sameLink(link, { ...link })).to.equal(true);
    expect(sameLink(link, { ...link, ucc: 'b' })).to.equal(false);
    expect(sameLink(link, { ...link, productId: undefined })).to.equal(false);
    expect(sameLink(link, undefined)).to.equal(false);
  });

  it('is put into an address in place of another, and the rest stays', () => {
    const address = 'https://app.example/start?plan=a%20b&ucc=old#top';
    const there = addLink(address, { ucc: 'Ä&=', productId: 'p' });
    expect(there).to.equal('https://app.example/start?plan=a+b&ucc=%C3%84%26%3D&productId=p#top');
    expect(readLink(there ?? '')).to.deep.equal({ ucc: 'Ä&=', productId: 'p' });
  });

  for (const address of ['mailto:a@b.example', 'javascript:void 0', 'tel:1', '', 'data:,x']) {
    it(`leaves '${address}' alone`, () => {
      expect(addLink(address, { ucc: 'a' })).to.equal(undefined);
    });
  }

  it('leaves an address alone that no browser can follow', () => {
    expect(addLink('https://', { ucc: 'a' })).to.equal(undefined);
  });
});
