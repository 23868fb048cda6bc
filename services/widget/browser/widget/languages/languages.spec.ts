import { notAuthorizedText } from '@tributary/contracts/public/widget-session';
import { expect } from 'chai';
import { loadTexts, ourLanguages } from '../load-language.ts';
import { en } from './en.ts';

const keys = Object.keys(en);
const placesOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort();

describe('the languages of the widget', () => {
  for (const code of ourLanguages) {
    it(`${code} has every text, in every plural form, with the same places to fill`, async () => {
      const texts = (await loadTexts(code)) as Record<string, string>;
      const forms = new Intl.PluralRules(code).resolvedOptions().pluralCategories;
      const plurals = keys.filter((key) => key.endsWith('.other'));
      const wanted = plurals.flatMap((key) => forms.map((f) => key.replace(/other$/, f)));
      expect(texts).to.include.all.keys(...keys, ...wanted);
      for (const [key, text] of Object.entries(texts)) {
        const english = en[key as keyof typeof en] ?? en[key.replace(/\w+$/, 'other') as never];
        expect(text.trim(), key).to.equal(text).and.not.equal('');
        // A form for exactly one may say so in words.
        const places = placesOf(text);
        if (!key.endsWith('.one')) expect(places, key).to.deep.equal(placesOf(english));
        else expect(placesOf(english), key).to.include.members(places);
      }
    });
  }

  it('has keys that a tenant can overlay by (WidgetTexts of the contracts)', () => {
    for (const key of keys) expect(key).to.match(/^[a-zA-Z][a-zA-Z0-9.]{0,63}$/);
  });

  it('says in English of a refused token what the service says (interface 5 rule 2)', () => {
    expect(en['error.unauthorized']).to.equal(notAuthorizedText);
  });

  it('loads nothing for a language without texts', async () => {
    expect(await loadTexts('fr')).to.equal(undefined);
    expect(await loadTexts('de-CH')).to.equal(await loadTexts('de'));
  });
});
