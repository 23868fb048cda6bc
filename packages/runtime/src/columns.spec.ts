import { expect } from 'chai';
import { columnsOf } from './columns.ts';

describe('columns of rows', () => {
  it('are one array each, of a member or of what a function makes of the row', () => {
    const rows: { id: string; amount?: number }[] = [{ id: 'a', amount: 1 }, { id: 'b' }];
    const columns = columnsOf(rows, 'id', 'amount', ({ id }) => `${id}!`);
    expect(columns).to.deep.equal([
      ['a', 'b'],
      [1, null],
      ['a!', 'b!'],
    ]);
    expect(columnsOf<{ id: string }>([], 'id')).to.deep.equal([[]]);
  });
});
