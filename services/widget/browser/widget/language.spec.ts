import { expect } from 'chai';
import { createLanguage } from './language.ts';
import { texts as de } from './languages/de.ts';
import { en, type LanguageTexts } from './languages/en.ts';

const english = createLanguage({ code: 'en' });
const german = createLanguage({ code: 'de', texts: de });

describe('the language of a widget', () => {
  it('fills in values and chooses the form by the count', () => {
    const values = { percent: english.percent(0.125) };
    expect(english.text('newUser.discountMonths', { ...values, count: 1 })).to.equal(
      'Your friend saves 12.5% for 1 month.',
    );
    expect(english.text('newUser.discountMonths', { ...values, count: 3 })).to.equal(
      'Your friend saves 12.5% for 3 months.',
    );
  });

  it('leaves a place that nobody filled as it is, and fills none with what a value brings', () => {
    const text = english.text('reward.percent', { percent: '{count}' });
    expect(text).to.equal('{count} of the price in credits');
    expect(english.text('reward.percent')).to.equal('{percent} of the price in credits');
  });

  it('writes exact decimals as the language does, with no digit lost or made up', () => {
    expect(german.number('1234.50')).to.equal('1.234,50');
    expect(german.number('5.000000')).to.equal('5');
    expect(english.number('123456789012345678.123456')).to.equal('123,456,789,012,345,678.123456');
    expect(german.text('reward.fixed', { count: '2.50' })).to.equal('2,50 Credits');
    expect(german.percent(0.1)).to.equal('10\u00a0%');
    expect(german.money('10.50', 'EUR')).to.equal('10,50\u00a0€');
    expect(english.money('1000', 'JPY')).to.equal('¥1,000');
  });

  it("takes the tenant's words for the tag over those for the language over ours", () => {
    const overlay = {
      de: { 'launcher.label': 'Für alle', 'error.retry': 'Nochmal' },
      'de-AT': { 'launcher.label': 'Servus' },
      en: { 'error.unavailable': 'Not of this language' },
    };
    const austrian = createLanguage({ code: 'de-AT', texts: de, overlay });
    expect(austrian.text('launcher.label')).to.equal('Servus');
    expect(austrian.text('error.retry')).to.equal('Nochmal');
    expect(austrian.text('error.unavailable')).to.equal(de['error.unavailable']);
    expect(austrian.own('error.retry')).to.equal('Nochmal');
    expect(austrian.own('error.unavailable')).to.equal(undefined);
    expect(austrian.own('toString')).to.equal(undefined);
  });

  it('uses the forms of a language that has more of them, and English where a text is missing', () => {
    const polish = createLanguage({
      code: 'pl',
      texts: {
        'reward.fixed.one': '{count} kredyt',
        'reward.fixed.few': '{count} kredyty',
        'reward.fixed.many': '{count} kredytów',
        'reward.fixed.other': '{count} kredytu',
      } as unknown as LanguageTexts,
    });
    const written = [1, 2, 5, '1.5'].map((count) => polish.text('reward.fixed', { count }));
    expect(written).to.deep.equal(['1 kredyt', '2 kredyty', '5 kredytów', '1,5 kredytu']);
    expect(polish.text('error.retry')).to.equal(en['error.retry']);
  });

  it('knows which way it is written, unless it is told', () => {
    expect(german.direction).to.equal('ltr');
    expect(createLanguage({ code: 'ar-EG' }).direction).to.equal('rtl');
    expect(createLanguage({ code: 'he' }).direction).to.equal('rtl');
    expect(createLanguage({ code: 'he', direction: 'ltr' }).direction).to.equal('ltr');
  });

  it('writes as English does what Intl does not know, and never throws', () => {
    const odd = createLanguage({ code: 'not a tag' });
    expect(odd.number('1234.5')).to.equal('1,234.5');
  });
});
