import { expect } from 'chai';
import { nameOfActor } from './name-of-actor.ts';
import { actorInSentenceTexts, actorTexts } from './texts.ts';

type Named = Parameters<typeof nameOfActor>[0];
const kinds = Object.keys(actorTexts.en) as Named['actorKind'][];
const named = (actorKind: Named['actorKind'], actorName: string | null): Named => ({
  ...{ actorKind, actorName, actorEmail: null },
});

describe('the name of whoever acted', () => {
  for (const language of ['en', 'de'] as const) {
    const alone = (of: Named) => nameOfActor(of, actorTexts[language]);
    const inSentence = (of: Named) =>
      nameOfActor(of, actorTexts[language], actorInSentenceTexts[language]);

    it(`is in words without one, which begin small in a sentence (${language})`, () => {
      for (const kind of kinds) {
        expect(alone(named(kind, null)), kind).to.match(/^[A-Z]/);
        expect(inSentence(named(kind, null)), kind).to.match(/^[a-z]/);
      }
    });

    it(`is the same in a sentence as alone, where there is one (${language})`, () => {
      for (const kind of kinds) {
        const of = named(kind, 'Ada');
        expect(inSentence(of)).to.equal(alone(of)).and.to.contain('Ada');
      }
    });
  }

  it('reads as a sentence', () => {
    const of = named('configured-token', null);
    expect(`by ${nameOfActor(of, actorTexts.en, actorInSentenceTexts.en)}`).to.equal(
      'by the static token of the deployment',
    );
    expect(`von ${nameOfActor(of, actorTexts.de, actorInSentenceTexts.de)}`).to.equal(
      'von dem festen Token der Installation',
    );
  });
});
