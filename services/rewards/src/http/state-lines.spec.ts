import { fromLine } from '@tributary/contracts/state-item';
import { expect } from 'chai';
import { recipientLine, rewardLine } from './state-lines.ts';

/** In the order of state-rows.ts. */
const row = {
  reward_id: '00000000-0000-5000-8000-000000000001',
  version: '2',
  tenant_id: 't1',
  recipient_id: 'anna',
  campaign_id: 'c1',
  state: 'issued',
  entitled: '10.5',
  issued: '10.5',
  campaign_revision: '1',
  rule_id: 'r1',
  recipient_role: 'referrer',
  business_key: '["purchase","t1","inv_1"]',
  event_id: 'e1',
  occurred_at_seconds: '1772323199.5',
  received_at: '2026-03-01T00:00:00.000Z',
  matures_at: null as string | null,
  action: null as string | null,
  reviews: '[]',
  tests: '[]' as string | null,
  calculation: '[{"step": "effect", "detail": "Fixed", "credits": "10.5"}]' as string | null,
  issued_campaign_id: null as string | null,
  issued_by_facts: '10.5',
  texts: '["Fixed"]',
};

const withdrawal = '[{"step": "withdrawal", "detail": "Withdrawn", "credits": "0"}]';

function lineOf(changes: Partial<typeof row> = {}) {
  const { issued: issued_by_facts = row.issued } = changes;
  const line = rewardLine(Object.values({ ...row, issued_by_facts, ...changes }));
  return line === undefined ? undefined : fromLine(line);
}

describe('line of a reward', () => {
  it('names what it is for, by the month of occurredAt in UTC', () => {
    expect(lineOf()).to.include({ month: '2026-02', entitled: '10.5', issued: '10.5' });
    const { digest } = lineOf() as { digest: string };
    expect(digest).to.match(/^[\w-]{43}$/);
    expect(lineOf({ occurred_at_seconds: '1772323200' })).to.include({ month: '2026-03' });
    expect(lineOf({ occurred_at_seconds: '-0.25' })).to.include({ month: '1969-12' });
  });

  it('is the same however its texts are stored', () => {
    const texts = '[[],[],[["effect","Fixed","10.5"]]]';
    expect(lineOf({ texts, tests: null, calculation: null })).to.deep.equal(lineOf());
    const other = '[[],[["trigger",true,"d"]],[["effect","Fixed","10.5"]]]';
    expect(lineOf({ texts: other, tests: null, calculation: null })).to.not.deep.equal(lineOf());
  });

  it('differs by everything that a fold gives', () => {
    const all: Partial<typeof row>[] = [
      { campaign_id: 'c2' },
      { entitled: '10.6' },
      { campaign_revision: '2' },
      { rule_id: 'r2' },
      { recipient_role: 'newUser' },
      { business_key: 'k' },
      { event_id: 'e2' },
      { occurred_at_seconds: '1772323199' },
      { received_at: '2026-03-01T00:00:01.000Z' },
      { matures_at: '2026-04-01T00:00:00.000Z' },
      { action: 'released' },
      { reviews: '["unknown"]' },
      { tests: '[{"test": "t", "passed": true, "detail": "d"}]' },
      { calculation: '[]' },
    ];
    const digests = all.map((changes) => (lineOf(changes) as { digest: string }).digest);
    expect(new Set([...digests, (lineOf() as { digest: string }).digest]).size).to.equal(
      all.length + 1,
    );
  });

  it('says of a reward that nothing gives now what was issued, by the campaign of that', () => {
    const withdrawn = { entitled: '0', state: 'reversed', calculation: withdrawal };
    const reported = lineOf({ ...withdrawn, issued_campaign_id: 'c9' });
    const nothing = { digest: '', ruleId: '', recipientRole: '', month: '' };
    expect(reported).to.include({ ...nothing, campaignId: 'c9', issued: '10.5', entitled: '0' });
    expect(lineOf({ ...withdrawn, issued: '0' })).to.equal(undefined);
    expect(lineOf({ version: '0', entitled: '0', issued: '0' })).to.equal(undefined);
  });

  it('is there for a reward that limits cut to nothing', () => {
    expect(lineOf({ entitled: '0', issued: '0', state: 'reversed' })).to.include({ entitled: '0' });
  });

  it('says so when the issuances of a reward are others than it says', () => {
    const digestOf = (changes: Partial<typeof row>) =>
      (lineOf({ ...changes, issued_by_facts: '9.5' }) as { digest: string }).digest;
    const withdrawn = { entitled: '0', state: 'reversed', calculation: withdrawal };
    for (const changes of [{}, withdrawn, { ...withdrawn, issued: '0' }]) {
      expect(digestOf(changes)).to.include('its issuances sum up to 9.5');
    }
  });

  it('says so when the state is not one that follows from the row', () => {
    const wrong = [{ state: 'held' }, { issued: '0', state: 'review' }, { state: 'reversed' }];
    for (const changes of wrong) {
      expect(lineOf(changes)).to.have.property('digest').that.includes('does not follow');
    }
    const netted = lineOf({ issued: '0', state: 'issued' }) as { digest: string };
    expect(netted.digest, 'a release may settle without paying').to.not.include(' ');
    expect((lineOf({ issued: '0', state: 'held' }) as { digest: string }).digest).to.not.include(
      ' ',
    );
  });
});

describe('line of a recipient', () => {
  const of = (...credits: string[]) => {
    const line = recipientLine(['t1', 'anna', ...credits]);
    return line === undefined ? undefined : fromLine(line);
  };

  it('has the balance of the ledger, and both sums where they disagree', () => {
    expect(of('10', '4', '10', '4', '6')).to.include({ entitled: '10', issued: '4', owed: '6' });
    expect(of('10', '4', '10', '5', '5')).to.include({ issued: '4, and 5 by the ledger' });
    expect(of('0', '0', '0', '0', '1')).to.include({ owed: '1' });
    expect(of('0', '0', '0', '0', '0')).to.equal(undefined);
  });
});
