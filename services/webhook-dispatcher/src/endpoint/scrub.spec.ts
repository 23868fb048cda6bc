import { expect } from 'chai';
import fc from 'fast-check';
import { createScrub } from './scrub.ts';

const username = 'hook-user';
const password = `pä$$w+rd/1:"<é>&'\\`;
const scrub = createScrub([{ username, password }]);

describe('createScrub', () => {
  const base64 = Buffer.from(`${username}:${password}`).toString('base64');
  const forms: Record<string, string> = {
    'as it is': password,
    'with its user name': `${username}:${password}`,
    'as the header has it': `Basic ${base64}`,
    'as Base64 without padding': base64.replace(/=+$/, ''),
    'as Base64 for URLs': Buffer.from(`${username}:${password}`).toString('base64url'),
    'as Base64 of the password alone': Buffer.from(password).toString('base64'),
    'as Base64 in a URL': encodeURIComponent(base64),
    'as Base64 in JSON with escaped slashes': base64.replaceAll('/', '\\/'),
    'in a URL': encodeURIComponent(password),
    'in a URL, in lower case': encodeURIComponent(password).toLowerCase(),
    'in a form': new URLSearchParams({ p: password }).toString().slice(2),
    'in JSON': JSON.stringify(password).slice(1, -1),
    'in JSON of ASCII': JSON.stringify(password)
      .slice(1, -1)
      .replaceAll('ä', '\\u00e4')
      .replaceAll('é', '\\u00e9'),
    'in HTML': password
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;'),
    'read as Latin-1': Buffer.from(password).toString('latin1'),
  };
  for (const [how, form] of Object.entries(forms)) {
    it(`takes the password out ${how}`, () => {
      const cleaned = scrub.clean(`before ${form} after ${form}`);
      expect(cleaned).to.match(/^before (Basic )?(hook-user:)?\[removed\] after /);
      expect(cleaned).not.to.include(form);
    });
  }

  it('takes all pairs out that are in use', () => {
    const both = createScrub([
      { username, password: 'old-one' },
      { username, password: 'new-one' },
    ]);
    expect(both.clean('old-one, new-one')).to.equal('[removed], [removed]');
  });

  it('leaves other text as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        fc.pre(!text.includes(password));
        expect(scrub.clean(text)).to.equal(text);
      }),
    );
  });

  it('leaves no part of a password wherever the text is cut', () => {
    const text = `${password} and ${password} and ${password}`;
    fc.assert(
      fc.property(fc.nat(text.length), (end) => {
        expect(scrub.clean(text, end)).to.match(/^(\[removed\]( |$| a| an| and| and )?)*$/);
      }),
    );
  });

  it('knows nothing secret about an empty password', () => {
    expect(createScrub([{ username, password: '' }]).clean('hook-user', 4)).to.equal('hook');
  });
});
