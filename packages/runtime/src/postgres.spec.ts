import { expect } from 'chai';
import { isTransientPostgresError } from './postgres.ts';
import { quoteSearchPath } from './postgres-connection.ts';

const withCode = (code: string) => Object.assign(new Error('failed'), { code });

describe('transient Postgres errors', () => {
  it('are those of the connection, of conflicts, of scarce resources, of a restart and of rights', () => {
    const codes = [
      '08006',
      '40001',
      '40P01',
      '53300',
      '55P03',
      '57014',
      '57P01',
      '57P03',
      '42501',
      '28P01',
    ];
    for (const code of [...codes, 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']) {
      expect(isTransientPostgresError(withCode(code)), code).to.equal(true);
    }
    const lost = new Error('Connection terminated unexpectedly');
    expect(isTransientPostgresError(lost)).to.equal(true);
  });

  it('are not mistakes of ours, which come again however often it is tried', () => {
    for (const code of ['23505', '42P01', '22P02', '42601', '57P99x', 'ERR_INVALID_ARG_TYPE']) {
      expect(isTransientPostgresError(withCode(code)), code).to.equal(false);
    }
    for (const value of [new Error('no'), 'Connection terminated', undefined, null]) {
      expect(isTransientPostgresError(value)).to.equal(false);
    }
  });

  it('are found behind a cause and in an aggregate', () => {
    const cause = withCode('40001');
    expect(isTransientPostgresError(new Error('batch failed', { cause }))).to.equal(true);
    const refused = new AggregateError([withCode('ECONNREFUSED')], '');
    expect(isTransientPostgresError(refused)).to.equal(true);
  });
});

describe('search path', () => {
  it('is quoted name by name', () => {
    expect(quoteSearchPath(['rewards_g1', 'od"d name'])).to.equal('"rewards_g1","od""d name"');
  });
});
