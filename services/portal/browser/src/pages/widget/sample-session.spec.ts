import { Value } from '@sinclair/typebox/value';
import { FormatRegistry } from '@sinclair/typebox';
import { WidgetSession } from '@tributary/contracts/public/widget-session';
import { expect } from 'chai';
import { sampleSession } from './sample-session.ts';

describe('the session that the preview of the widget is given', () => {
  before(() => FormatRegistry.Set('text', () => true));

  it('is one as the contract has it, with the settings that were typed', () => {
    const theme = { light: { accent: '#0f766e' } };
    const texts = { fr: { 'launcher.label': 'Inviter' } };
    const session = sampleSession({ theme, texts, referredUserName: 'initial' });
    expect([...Value.Errors(WidgetSession, session)]).to.deep.equal([]);
    expect(session).to.deep.include({ theme, texts });
    expect(session.referrals.latest[0]).to.include({ name: 'R.' });
  });

  it('is one whatever stands in the editor', () => {
    for (const typed of [null, 1, 'x', [], { theme: [], texts: { en: 3, 'no tag': {} } }, {}]) {
      const session = sampleSession(typed);
      expect([...Value.Errors(WidgetSession, session)], JSON.stringify(typed)).to.deep.equal([]);
    }
    expect(sampleSession({ texts: { en: { a: 1, b: 'B' } } }).texts).to.deep.equal({
      en: { b: 'B' },
    });
  });

  it('has the rules that the settings have words for', () => {
    const { rules } = sampleSession({ texts: { en: { 'rule.welcome': 'Tea' }, de: {} } });
    expect(rules.map(({ ruleId }) => ruleId)).to.deep.equal(['welcome']);
    expect(sampleSession({}).rules).to.have.length(2);
  });

  it('names nobody where no names are shown', () => {
    const names = sampleSession({ referredUserName: 'none' }).referrals.latest.map((r) => r.name);
    expect(new Set(names)).to.deep.equal(new Set([null]));
  });
});
