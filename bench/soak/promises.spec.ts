import { expect } from 'chai';
import { compareWithLog, memoryOf, type Overload, promisesOf } from './promises.ts';

describe('promises under overload', () => {
  const good: Overload = {
    capacityPerSecond: 1_000,
    offeredPerSecond: 1_990,
    statuses: new Map([
      [202, 60_000],
      [503, 59_400],
    ]),
    unanswered: new Map(),
    acceptedP99Ms: 4_000,
    residentMiB: [200, 380, 400, 410, 395, 405, 400],
    log: { accepted: 60_000, lost: 0, copies: 3, doubled: 0, mistaken: 0 },
  };
  const broken = (changes: Partial<Overload>) =>
    promisesOf({ ...good, ...changes })
      .filter(({ kept }) => !kept)
      .map(({ promise }) => promise.split(' ')[0]);

  it('are all kept where there is nothing but 202 and 503, in time, in the same memory', () => {
    expect(broken({})).to.deep.equal([]);
    expect(promisesOf(good)).to.have.length(5);
  });

  it('are broken by any other answer, and by none', () => {
    const statuses = new Map([...good.statuses, [500, 1]]);
    expect(broken({ statuses })).to.deep.equal(['only']);
    const unanswered = new Map([['ECONNRESET', 1]]);
    expect(broken({ unanswered })).to.deep.equal(['only']);
  });

  it('are broken by accepted events that wait too long, are lost or there twice', () => {
    expect(broken({ acceptedP99Ms: 10_001 })).to.deep.equal(['99']);
    expect(broken({ log: { ...good.log, lost: 1 } })).to.deep.equal(['every']);
    expect(broken({ log: { ...good.log, doubled: 1 } })).to.deep.equal(['every']);
    expect(broken({ log: { ...good.log, mistaken: 1 } })).to.deep.equal(['every']);
  });

  it('say nothing of a load that was none', () => {
    expect(broken({ offeredPerSecond: 1_500 })).to.deep.equal(['the']);
    expect(broken({ log: { ...good.log, accepted: 0 } })).to.deep.equal(['99', 'every']);
  });

  it('take memory for flat that breathes, not what climbs', () => {
    const climbing = Array.from({ length: 60 }, (_, n) => 300 + n * 5);
    expect(memoryOf(climbing).isFlat).to.equal(false);
    const breathing = Array.from({ length: 60 }, (_, n) => 300 + (n % 7) * 20);
    expect(memoryOf(breathing).isFlat).to.equal(true);
    const growingUp = [100, 200, ...Array<number>(10).fill(400)];
    expect(memoryOf(growingUp)).to.deep.equal({ isFlat: true, earlierMiB: 400, laterMiB: 400 });
    expect(memoryOf([300]).isFlat).to.equal(false);
  });
});

describe('what was accepted, on the log', () => {
  const accepted = new Map([
    ['k1', 'e1'],
    ['k2', 'e2'],
  ]);
  const both = [
    { key: 'k1', eventId: 'e1' },
    { key: 'k2', eventId: 'e2' },
  ];

  it('is there once each, beside what was answered with 503', () => {
    const records = [...both, { key: 'k3', eventId: 'e3' }];
    expect(compareWithLog(accepted, records)).to.deep.equal({
      ...{ accepted: 2, lost: 0, copies: 0, doubled: 0, mistaken: 0 },
    });
  });

  it('is missed by its key', () => {
    expect(compareWithLog(accepted, both.slice(1))).to.include({ lost: 1 });
  });

  it('is found doubled, by its key or its event id, and not by a copy', () => {
    const sameKey = [...both, { key: 'k1', eventId: 'e9' }];
    expect(compareWithLog(accepted, sameKey)).to.include({ doubled: 1 });
    const sameId = [...both, { key: 'k9', eventId: 'e1' }];
    expect(compareWithLog(accepted, sameId)).to.include({ doubled: 1 });
    const copy = [...both, both[0]!];
    expect(compareWithLog(accepted, copy)).to.include({ doubled: 0, copies: 1 });
  });

  it('is mistaken when another event id was answered', () => {
    const other = [{ key: 'k1', eventId: 'e9' }, both[1]!];
    expect(compareWithLog(accepted, other)).to.include({ mistaken: 1 });
  });
});
