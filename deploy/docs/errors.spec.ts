import { readFileSync } from 'node:fs';
import { problemCatalogue, type ProblemCode } from '@tributary/contracts/problem';
import { ViolationCode } from '@tributary/contracts/violation';
import { Warning } from '@tributary/contracts/warning';
import { expect } from 'chai';
import { rowsOf } from './testing/table-rows.ts';

describe('docs/errors.md', () => {
  const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');

  it('lists exactly the problems of the catalogue, with status, type and title', () => {
    const listed = rowsOf(page, 'Problem codes').map(([code, statuses = '', type, title]) => ({
      code,
      // It may come with others, too.
      status: statuses
        .split(', ')
        .map(Number)
        .find((status) => status === problemCatalogue[code as ProblemCode].status),
      type,
      title,
    }));
    const catalogue = Object.entries(problemCatalogue).map(([code, row]) => ({ code, ...row }));
    expect(listed).to.have.deep.members(catalogue);
  });

  it('says of every problem when it comes and what to do', () => {
    for (const cells of rowsOf(page, 'Problem codes')) {
      expect(cells, cells[0]).to.have.length(6);
      expect(
        cells.every((cell) => cell !== ''),
        cells[0],
      ).to.equal(true);
    }
  });

  it('lists exactly the violation codes and the warning codes', () => {
    const codesOf = (title: string) => rowsOf(page, title).map(([code]) => code);
    expect(codesOf('Violation codes')).to.have.members(
      ViolationCode.anyOf.map((literal) => literal.const),
    );
    expect(codesOf('Warning codes')).to.have.members(
      Warning.properties.code.anyOf.map((literal) => literal.const),
    );
  });
});
