import { expect } from 'chai';
import { describeProblem, lines, printable, table } from './print.ts';

describe('print', () => {
  it('aligns fields under their heading', () => {
    expect(lines('Code issued', { ucc: 'abc', campaignId: 'c1', link: undefined })).to.equal(
      'Code issued\n  ucc         abc\n  campaignId  c1',
    );
  });

  it('aligns columns', () => {
    const rows = [
      { id: 'a', name: 'Acme' },
      { id: 'bcd', name: null },
    ];
    expect(table(['id', 'name'], rows)).to.equal('id   name\na    Acme\nbcd  -');
  });

  it('shows every violation of a problem with its place', () => {
    const text = describeProblem({
      status: 422,
      code: 'VALIDATION_ERROR',
      title: 'T',
      detail: 'See errors.',
      instance: 'r-1',
      errors: [
        { pointer: '/name', code: 'REQUIRED', detail: 'is missing' },
        { pointer: '', code: 'INVALID_TYPE', detail: 'must be an object' },
      ],
    });
    expect(text.split('\n')).to.deep.equal([
      'Refused, 422 VALIDATION_ERROR: See errors.',
      '  /name: is missing (REQUIRED)',
      '  (the body): must be an object (INVALID_TYPE)',
      '  request r-1',
    ]);
  });

  it('lets no control character through to the terminal', () => {
    expect(printable('a\u001b[31mb\nc\u202e')).to.equal('a\ufffd[31mb\ufffdc\ufffd');
  });
});
