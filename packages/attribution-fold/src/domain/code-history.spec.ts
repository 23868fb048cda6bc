import { expect } from 'chai';
import { code } from '../testing/records.ts';
import { codeAt, toHistory } from './code-history.ts';

const issued = code({ at: '2026-01-10T00:00:00.000Z' });
const disabled = code({ type: 'code-disabled', version: 2, at: '2026-02-10T00:00:00.000Z' });
const again = code({ version: 3, at: '2026-03-10T00:00:00.000Z' });

describe('a code at the time an event came', () => {
  it('is as the change that held then left it', () => {
    const history = toHistory([again, issued, disabled]);
    const disabledAt = (time: string) => codeAt(history, time).disabledSince;
    expect(disabledAt('2026-02-09T23:59:59.999Z')).to.equal(undefined);
    expect(disabledAt('2026-02-10T00:00:00.000Z')).to.equal(disabled.at);
    expect(disabledAt('2026-03-10T00:00:00.000Z')).to.equal(undefined);
  });

  it('takes events that came before it was issued', () => {
    expect(codeAt([issued], '2025-01-01T00:00:00.000Z')).to.deep.equal({
      campaignId: 'c1',
      ownerId: 'anna',
    });
  });

  it('belongs to whoever published it first', () => {
    const usurper = code({ version: 2, productUserId: 'bert', at: '2026-01-20T00:00:00.000Z' });
    const history = toHistory([usurper, issued]);
    expect(codeAt(history, '2026-02-01T00:00:00.000Z').ownerId).to.equal('anna');
  });
});
