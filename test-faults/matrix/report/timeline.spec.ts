import { topics as topicTable } from '@tributary/contracts/topics';
import { expect } from 'chai';
import { at, someRow, startMs } from './some-row.ts';
import { timelineOf } from './timeline.ts';

describe('the timeline of a row', () => {
  it('counts customers’ requests in the second in which they were sent, by outcome', () => {
    const { requests, steps } = timelineOf(someRow());
    expect(steps).to.deep.equal({ startMs, stepMs: 1_000, count: 10 });
    expect(requests.map(({ values }) => values.slice(0, 5))).to.deep.equal([
      [2, 0, 0, 0, 0],
      [0, 0, 0, 1, 0],
      [0, 0, 0, 2, 0],
    ]);
  });

  it('tells webhooks that were taken from others', () => {
    const { webhooks } = timelineOf(someRow());
    expect(webhooks.map(({ values }) => values.slice(0, 6))).to.deep.equal([
      [1, 0, 0, 0, 0, 0],
      [0, 0, 0, 0, 1, 0],
    ]);
  });

  it('takes means over longer steps when a row is long', () => {
    const evidence = someRow();
    evidence.row.rebuild!.beganAt = at(900);
    const { requests, steps } = timelineOf(evidence);
    expect(steps.stepMs).to.equal(4_000);
    expect(requests.map(({ values }) => values[0])).to.deep.equal([0.5, 0.25, 0.5]);
  });

  it('counts records that were appended and not yet applied, and no later generation', () => {
    const topic = topicTable.events.name;
    const evidence = someRow();
    const record = { partition: 0, key: 'k', value: '{}' };
    evidence.topics = {
      [topic]: [0.2, 0.4, 2.1, 2.2].map((s, offset) => ({ ...record, offset, at: at(s) })),
    };
    const position = { schema: 'attribution_g1', topic, partition: 0, epoch: 1 };
    evidence.positions = [
      ...[
        { ...position, at: at(-1), next: 0 },
        { ...position, at: at(0.9), next: 2 },
      ],
      ...[
        { ...position, at: at(3.1), next: 3 },
        { ...position, at: at(3.9), next: 4 },
      ],
      { ...position, at: at(9.6), next: 0, schema: 'attribution_g2' },
    ];
    const { lag, isLagWhole } = timelineOf(evidence);
    expect(isLagWhole).to.equal(true);
    expect(lag.series.map(({ name }) => name)).to.deep.equal(['attribution_g1']);
    // At 0.5, 1.0, 1.5 and so on.
    const values = lag.series[0]!.values.slice(0, 9);
    expect(values).to.deep.equal([2, 0, 0, 0, 2, 2, 1, 0, 0]);
  });

  it('counts a partition as unread of which a projection has no position', () => {
    const topic = topicTable.events.name;
    const evidence = someRow();
    const record = { offset: 0, key: 'k', value: '{}', at: at(0.2) };
    evidence.topics = { [topic]: [0, 1].map((partition) => ({ ...record, partition })) };
    evidence.positions = [
      { schema: 'attribution_g1', topic, partition: 0, epoch: 1, at: at(0.6), next: 1 },
    ];
    const [attribution] = timelineOf(evidence).lag.series;
    expect(attribution!.values.slice(0, 3)).to.deep.equal([2, 1, 1]);
  });

  it('has the lag of events alone when older evidence has no times of records', () => {
    const topic = topicTable.events.name;
    const evidence = someRow();
    const value = JSON.stringify({ receivedAt: at(1.2) });
    evidence.topics = {
      [topic]: [{ partition: 0, offset: 0, key: 'k', value }],
      [topicTable.rewards.name]: [{ partition: 0, offset: 0, key: 'k', value }],
    };
    const position = { partition: 0, epoch: 1, at: at(-1), next: 0 };
    evidence.positions = [
      { ...position, schema: 'attribution_g1', topic },
      { ...position, schema: 'widget_r2', topic: topicTable.rewards.name },
    ];
    const { lag, isLagWhole } = timelineOf(evidence);
    expect(isLagWhole).to.equal(false);
    const [attribution, widget] = lag.series.map(({ values }) => values.slice(0, 4));
    expect(attribution).to.deep.equal([0, 0, 1, 1]);
    expect(widget).to.deep.equal([0, 0, 0, 0]);
  });

  it('reckons from the repeats when an older row began to be undone', () => {
    const evidence = someRow();
    delete evidence.row.undoneAt;
    evidence.requests.push({ ...evidence.requests[0]!, sentAt: at(9.2) });
    const { moments } = timelineOf(evidence);
    const undone = moments.find(({ kind }) => kind === 'undone');
    expect(undone?.atMs).to.equal(startMs + 5_200);
    expect(undone?.says).to.include('reckoned');
  });
});
