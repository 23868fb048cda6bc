import { expect } from 'chai';
import { requestKey } from './idempotency-key.ts';

const header = (...lines: string[]) => lines.map((line) => Buffer.from(line));

describe('idempotency key of a request (interface 4.1 rules 7 and 10)', () => {
  it('is absent when neither form is sent', () => {
    expect(requestKey([], undefined)).to.eql({ outcome: 'none' });
  });

  it('comes from the header or from the body, trimmed', () => {
    expect(requestKey(header(' k\t'), undefined)).to.eql({ outcome: 'key', key: 'k' });
    expect(requestKey([], '\u00a0k\n')).to.eql({ outcome: 'key', key: 'k' });
    expect(requestKey(header('k'), ' k ')).to.eql({ outcome: 'key', key: 'k' });
    expect(requestKey(header('k', 'k '), undefined)).to.eql({ outcome: 'key', key: 'k' });
  });

  it('reads header bytes as UTF-8 and takes quotes literally', () => {
    expect(requestKey(header('ключ'), 'ключ')).to.eql({ outcome: 'key', key: 'ключ' });
    expect(requestKey(header('\ufffd'), undefined)).to.eql({ outcome: 'key', key: '\ufffd' });
    expect(requestKey(header('"k"'), 'k')).to.eql({ outcome: 'conflict' });
  });

  it('is a conflict when forms or header lines differ after trimming', () => {
    expect(requestKey(header('a'), 'b')).to.eql({ outcome: 'conflict' });
    expect(requestKey(header('a', 'b'), undefined)).to.eql({ outcome: 'conflict' });
  });

  it('is refused when the header is empty, too long or not UTF-8', () => {
    for (const lines of [
      header(''),
      header('  '),
      header('k'.repeat(256)),
      [Buffer.from([0xff])],
    ]) {
      expect(requestKey(lines, undefined)).to.have.nested.property(
        'violation.pointer',
        '/idempotencyKey',
      );
    }
    expect(requestKey(header('😀'.repeat(255)), undefined).outcome).to.equal('key');
  });
});
