import { expect } from 'chai';
import { cursorOf, encodeCursor } from '@tributary/contracts/admin/cursor';
import { idText, oneOf, time, wholeNumber } from '@tributary/contracts/admin/query-parameters';
import { readQuery } from './query.ts';
import { Refusal } from './refusal.ts';

const parameters = {
  user: idText(),
  state: oneOf('held', 'issued'),
  limit: wholeNumber(1, 200),
  from: time(),
  cursor: cursorOf(2),
};
const read = (search: string) => readQuery(search, parameters);

describe('query parameters', () => {
  it('are read and decoded', () => {
    const cursor = encodeCursor(['a', 'ü']);
    const query = `user=a%2Fb+c%C3%BC&state=held&limit=7&from=2026-03-01T13:00:00.0001%2B01:00&cursor=${cursor}`;
    expect(read(query)).to.deep.equal({
      user: 'a/b cü',
      state: 'held',
      limit: 7,
      from: '2026-03-01T12:00:00.001Z',
      cursor: ['a', 'ü'],
    });
    expect(read('')).to.deep.equal({});
    expect(read('&user=a&')).to.deep.equal({ user: 'a' });
  });

  for (const [search, pointer, code] of [
    ['other=1', '/other', 'UNKNOWN_FIELD'],
    ['constructor=1', '/constructor', 'UNKNOWN_FIELD'],
    ['a/b~=1', '/a~1b~0', 'UNKNOWN_FIELD'],
    ['%zz=1', '/', 'UNKNOWN_FIELD'],
    ['user', '/user', 'OUT_OF_RANGE'],
    ['user=%00', '/user', 'INVALID_FORMAT'],
    ['user=%ff', '/user', 'INVALID_FORMAT'],
    [`user=${'x'.repeat(256)}`, '/user', 'OUT_OF_RANGE'],
    ['state=HELD', '/state', 'INVALID_ENUM'],
    ['limit=1.0', '/limit', 'INVALID_TYPE'],
    ['limit=-1', '/limit', 'INVALID_TYPE'],
    ['limit=201', '/limit', 'OUT_OF_RANGE'],
    ['from=2026-03-01', '/from', 'INVALID_FORMAT'],
    ['from=9999-12-31T23:59:59-01:00', '/from', 'OUT_OF_RANGE'],
    ['cursor=!', '/cursor', 'INVALID_FORMAT'],
    [`cursor=${encodeCursor(['a'])}`, '/cursor', 'INVALID_FORMAT'],
    [`cursor=${encodeCursor(['a', '\0'])}`, '/cursor', 'INVALID_FORMAT'],
    [`cursor=${Buffer.from('{"0":1}').toString('base64url')}`, '/cursor', 'INVALID_FORMAT'],
  ] as const) {
    it(`refuse ${search.slice(0, 40)}`, () => {
      expect(violationsOf(search)).to.deep.equal([[pointer, code]]);
    });
  }

  it('are validated all at once, and given once', () => {
    expect(violationsOf('limit=0&state=x&user=a&user=b')).to.deep.equal([
      ['/limit', 'OUT_OF_RANGE'],
      ['/state', 'INVALID_ENUM'],
      ['/user', 'INVALID_FORMAT'],
    ]);
  });

  it('are listed with at most 20 mistakes, and never with what was sent', () => {
    const search = Array.from({ length: 30 }, (_, i) => `f${i}=canary`).join('&');
    expect(violationsOf(search)).to.have.length(20);
    try {
      read('limit=canary&user=%00canary');
    } catch (error) {
      expect(JSON.stringify((error as Refusal).about)).not.to.contain('canary');
    }
  });

  function violationsOf(search: string): [string, string][] {
    try {
      read(search);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return error.about.errors?.map(({ pointer, code }) => [pointer, code]) ?? [];
    }
    throw new Error('nothing was refused');
  }
});
