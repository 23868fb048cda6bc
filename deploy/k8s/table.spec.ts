import { expect } from 'chai';
import { tableOf } from './table.ts';

describe('the table of phases', () => {
  it('has a line for each, with columns of one width', () => {
    const rows = [
      { phase: '1', asked: 'a job', seen: 'a webhook', ok: true },
      { phase: '2', asked: 'more | less', seen: 'less', ok: false },
    ];
    expect(tableOf(rows).split('\n')).to.deep.equal([
      '| phase | what was asked | what was seen | ok  |',
      '| ----- | -------------- | ------------- | --- |',
      '| 1     | a job          | a webhook     | yes |',
      '| 2     | more / less    | less          | NO  |',
    ]);
  });
});
