import { Value } from '@sinclair/typebox/value';
import { FormatRegistry } from '@sinclair/typebox';
import { expect } from 'chai';
import {
  buildProblem,
  GeneralProblem,
  Problem,
  type ProblemCode,
  problemCatalogue,
  V2ProblemCode,
} from './problem.ts';

FormatRegistry.Set('uri', (text) => /^urn:tributary:problem:[a-z-]+$/.test(text));

const codes = Object.keys(problemCatalogue) as ProblemCode[];

describe('problem catalogue (interface 7)', () => {
  it('has a row for every code of the v2 contract, and more for elsewhere', () => {
    const v2 = V2ProblemCode.anyOf.map((literal) => literal.const);
    const elsewhere = ['NOT_FOUND', 'CONFLICT', 'FORBIDDEN'];
    const ofTheAdminApi = ['CONFIRMATION_REQUIRED', 'TOO_MANY_REQUESTS'];
    expect(codes).to.have.members([...v2, ...elsewhere, ...ofTheAdminApi]);
  });

  it('names the class of a problem by a URN that follows its code', () => {
    for (const code of codes) {
      const slug = code.toLowerCase().replaceAll('_', '-');
      expect(problemCatalogue[code].type).to.equal(`urn:tributary:problem:${slug}`);
    }
  });

  it('builds a body that matches the closed schema for every code', () => {
    for (const code of codes) {
      const problem = buildProblem(code, { errors: [], instance: 'r1' });
      expect(Value.Check(GeneralProblem, problem), code).to.equal(true);
      expect(problem.status).to.equal(problemCatalogue[code].status);
    }
  });

  it('keeps NOT_FOUND out of the v2 schema', () => {
    expect(Value.Check(Problem, buildProblem('NOT_FOUND'))).to.equal(false);
    expect(Value.Check(Problem, buildProblem('VALIDATION_ERROR'))).to.equal(true);
  });

  it('repeats the status that is really answered (design 8, 415 and 405)', () => {
    expect(buildProblem('MALFORMED_JSON', { status: 415 }).status).to.equal(415);
  });
});
