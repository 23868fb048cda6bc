import { expect } from 'chai';
import { chooseLanguage } from './choose-language.ts';

const ours = ['en', 'de'];

describe('the choice of a language', () => {
  const choices: [string, string[], string][] = [
    ['the first wanted one that there are texts for', ['fr', 'de', 'en'], 'de'],
    ['its own tag, where the language has texts', ['de-at'], 'de-AT'],
    ['what pages write for a tag', ['de_DE'], 'de-DE'],
    ['English, when nothing else is there', ['fr', 'sv-SE'], 'en'],
    ['not what is no tag', ['', '?', 'x', 'de'], 'de'],
  ];
  for (const [title, wanted, chosen] of choices) {
    it(`takes ${title}`, () => expect(chooseLanguage(wanted, ours)).to.equal(chosen));
  }

  it("takes a language that only the tenant's texts are in", () => {
    expect(chooseLanguage(['fr-CA', 'de'], ours, { fr: { 'error.retry': 'Encore' } })).to.equal(
      'fr-CA',
    );
    expect(chooseLanguage(['pt-PT', 'de'], ours, { 'pt-BR': {} })).to.equal('de');
  });
});
