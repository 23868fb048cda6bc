import { expect } from 'chai';
import { shareLinks } from './share-links.ts';

const link = 'https://shop.example/join?ucc=ab%2B1&productId=tea#top';
const text = { subject: 'Tea & more', message: 'Größer + besser: 100 %' };

describe('share links', () => {
  const hrefs = new Map(shareLinks(link, text).map(({ network, href }) => [network, href]));

  it('carries the whole link, its own query and fragment included, to each network', () => {
    expect(parameter('whatsapp', 'text')).to.equal(`${text.message} ${link}`);
    expect(parameter('x', 'url')).to.equal(link);
    expect(parameter('x', 'text')).to.equal(text.message);
    expect(parameter('linkedin', 'url')).to.equal(link);
  });

  it('writes a mail that programs without form decoding read as it was meant', () => {
    const mail = hrefs.get('mail')!;
    expect(mail).to.match(/^mailto:\?subject=Tea%20%26%20more&body=/);
    expect(mail).not.to.contain('+');
    expect(decodeURIComponent(mail.split('body=')[1]!)).to.equal(`${text.message}\r\n\r\n${link}`);
  });

  it('bears a text that a tenant cut in the middle of a character', () => {
    const [mail] = shareLinks(link, { subject: 'Tea \ud83c', message: 'Hello' });
    expect(mail!.href).to.contain('subject=Tea%20%EF%BF%BD&');
  });

  function parameter(network: 'whatsapp' | 'x' | 'linkedin', name: string): string | null {
    return new URL(hrefs.get(network)!).searchParams.get(name);
  }
});
