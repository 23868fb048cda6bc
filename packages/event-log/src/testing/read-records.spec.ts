import { expect } from 'chai';
import { createVersionedRecords, withoutCopies } from './read-records.ts';

const record = (id: string, version: number, name = 'a') => ({ id, version, name });

describe('records of an outbox, as specs read them', () => {
  it('are there once, where a copy is equal', () => {
    const [one, other] = [record('x', 1), record('x', 1, 'b')];
    expect(withoutCopies([one, other, { ...one }])).to.deep.equal([one, other]);
  });

  it('are there in the order of their versions, however they come, copies left out', () => {
    const { records, add } = createVersionedRecords<ReturnType<typeof record>>({
      entityOf: ({ id }) => id,
      versionOf: ({ version }) => version,
    });
    for (const version of [2, 3, 1, 3, 2]) add(record('x', version));
    add(record('y', 1));
    expect(records.map(({ id, version }) => `${id}${version}`)).to.deep.equal([
      ...['x1', 'x2', 'x3', 'y1'],
    ]);
  });

  it('are both there, where two of one version differ', () => {
    const { records, add } = createVersionedRecords<ReturnType<typeof record>>({
      entityOf: ({ id }) => id,
      versionOf: ({ version }) => version,
    });
    for (const name of ['a', 'b', 'a']) add(record('x', 1, name));
    expect(records.map(({ name }) => name)).to.deep.equal(['a', 'b']);
  });
});
