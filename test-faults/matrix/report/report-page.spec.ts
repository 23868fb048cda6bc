import { topics as topicTable } from '@tributary/contracts/topics';
import { expect } from 'chai';
import { type Judged, judgeEvidence } from '../checker/check.ts';
import { goodEvidence } from '../checker/some-evidence.ts';
import type { Evidence } from '../evidence.ts';
import { reportPage } from './report-page.ts';
import { type ReportRow, reportRowOf, rowNotRun } from './report-row.ts';
import { chart } from './scale.ts';
import { at, someRow, startMs } from './some-row.ts';

const dir = '/evidence/04-kill-rewards';

function pageOf(evidence: Evidence, judged: Judged = judgeEvidence(evidence)): string {
  return pageOfRows([reportRowOf(evidence, judged, dir)]);
}

function pageOfRows(rows: ReportRow[], planned = rows.length): string {
  return reportPage(rows, planned, new Date(startMs));
}

describe('the report of the fault matrix', () => {
  it('escapes whatever the evidence says, and needs nothing but itself', () => {
    const hostile = `<script>alert('&')</script><img src="http://x.example/">`;
    const evidence = someRow();
    evidence.row.fault = hostile;
    evidence.row.fired[0]!.what = hostile;
    evidence.positions = evidence.positions.map((one) => ({ ...one, schema: hostile }));
    const broken = { number: 1, says: hostile, verdict: { judged: 1, broken: [hostile] } };
    const page = pageOf(evidence, { fired: 1, verdicts: [broken] });
    const escaped =
      '&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;&lt;img src=&quot;http://x.example/&quot;&gt;';
    // By name in two places, as proof in two, in two commands of two places, and in the rest.
    expect(page.split(escaped).length - 1).to.be.greaterThan(8);
    expect(page).to.not.include('<script');
    expect(page).to.not.include('<img');
    expect(page).to.not.match(/<link|@import|url\(|\ssrc="/);
  });

  it('shows a counterexample of what is red, how often there are more, and the commands', () => {
    const evidence = goodEvidence();
    evidence.topics[topicTable.events.name] = [];
    const page = pageOf(evidence);
    expect(page).to.match(/I1 \(what was accepted[^<]*is not on the log/);
    expect(page).to.match(/<td class="count bad">\d+ ✗<\/td>/);
    expect(page).to.include(`npm run faults -- --check ${dir} #`);
    expect(page).to.include('npm run faults -- --only kill-rewards --seed 1 #');
    expect(page).to.include('✗ 1 red of 1 fault<');
  });

  it('has no counterexample and no ✗ when all is green', () => {
    const page = pageOf(goodEvidence());
    expect(page).to.not.include('✗');
    expect(page).to.include('✓ all green, 1 of 1: every promise was judged and kept');
    expect(page.match(/<td class="count good">\d+ ✓<\/td>/g)).to.have.length(12);
  });

  it('counts a fault that could not be run, and those that are not done yet', () => {
    const failed = rowNotRun({ number: 5, fault: 'kill-redis', seed: 1 }, 'no <port> is free');
    const page = pageOfRows([failed], 3);
    expect(page).to.include('✗ 1 red of 1 fault; 2 are not done yet');
    expect(page).to.include('it could not be run: no &lt;port&gt; is free');
    expect(page).to.include('never done');
  });

  it('marks moments where the evidence has them, in every chart', () => {
    const page = pageOf(someRow());
    const marks = [...page.matchAll(/class="mark (\w+)"\s+d="M([\d.]+) /g)];
    const inner = chart.width - chart.left - chart.right;
    const seconds = (x: string) => ((Number(x) - chart.left) / inner) * 10;
    const placed = marks.map(([, kind, x]) => `${kind} ${seconds(x!).toFixed(1)}`);
    const once = ['fired 3.0', 'undone 5.0', 'silent 8.0', 'recovered 9.0'];
    // One time with its badge, and in each of three charts.
    expect(placed).to.deep.equal([...once, ...once, ...once, ...once]);
  });

  it('shades the fault from where it began, and the recovery', () => {
    const evidence = someRow();
    evidence.row.beganAt = at(1);
    const page = pageOf(evidence);
    expect(page).to.include('fault 4.0 s');
    expect(page).to.include('recovery 4.0 s');
  });

  it('says so when older evidence has the lag of events alone', () => {
    const said = 'does not say when records were appended';
    const evidence = someRow();
    expect(pageOf(evidence)).to.include(said);
    for (const records of Object.values(evidence.topics)) {
      for (const record of records) record.at = at(1);
    }
    expect(pageOf(evidence)).to.not.include(said);
  });
});
