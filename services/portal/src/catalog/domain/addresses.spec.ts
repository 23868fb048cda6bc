import { expect } from 'chai';
import { validateLandingUrl, validateWebhookUrl } from './addresses.ts';

const landing = (text: string, environment: 'prod' | 'sandbox' = 'prod') =>
  validateLandingUrl(text, '/landingUrl', environment);
const webhook = (text: string, environment: 'prod' | 'sandbox' = 'prod') =>
  validateWebhookUrl(text, '/url', environment);

describe('addresses', () => {
  it('takes an https address everywhere', () => {
    expect(landing('https://example.com/join?a=1#x')).to.deep.equal([]);
    expect(webhook('https://example.com:8443/hook?a=1')).to.deep.equal([]);
  });

  it('takes http in the sandbox and refuses it in production', () => {
    expect(landing('http://localhost:3000/', 'sandbox')).to.deep.equal([]);
    expect(landing('http://localhost:3000/')).to.have.length(1);
    expect(webhook('http://127.0.0.1:8300/hook', 'sandbox')).to.deep.equal([]);
    expect(webhook('http://127.0.0.1:8300/hook')).to.have.length(1);
  });

  for (const text of [
    '',
    '/join',
    'example.com/join',
    'ftp://example.com/',
    'https:/example.com/',
    'https://',
    ' https://example.com/',
    'https://exa\tmple.com/',
    'https://example.com/\0',
    'https://user:secret@example.com/',
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(landing(text, 'sandbox')[0]).to.include({
        pointer: '/landingUrl',
        code: 'INVALID_FORMAT',
      });
      expect(webhook(text, 'sandbox')[0]).to.include({ pointer: '/url', code: 'INVALID_FORMAT' });
    });
  }

  it('refuses a landing address that already carries productId or ucc', () => {
    expect(landing('https://example.com/?ucc=abc')).to.have.length(1);
    expect(landing('https://example.com/?productId=abc&x=1')).to.have.length(1);
  });

  it('refuses a webhook address with a fragment', () => {
    expect(webhook('https://example.com/hook#a')).to.have.length(1);
  });
});
