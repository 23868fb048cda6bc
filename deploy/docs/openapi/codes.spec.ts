import { readFileSync } from 'node:fs';
import { problemCatalogue, type ProblemCode, V2ProblemCode } from '@tributary/contracts/problem';
import { ViolationCode } from '@tributary/contracts/violation';
import { Warning } from '@tributary/contracts/warning';
import { expect } from 'chai';
import { edgeLimits } from '../../edge/edge-limits.ts';
import { renderEdge } from '../../edge/render-edge.ts';
import { rowsOf } from '../testing/table-rows.ts';
import type { Json } from './json-schema.ts';
import {
  type ApiDocument,
  type Content,
  operationsOf,
  readDocument,
  resolve,
} from './testing/document.ts';

/** One catalogue: contract, OpenAPI, the errors page and the edge list the same codes. */
describe('the codes of the OpenAPI document', () => {
  const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  const all = Object.keys(problemCatalogue);
  const v2 = V2ProblemCode.anyOf.map((literal) => literal.const);
  /** Answered by the admin API only, which is no part of the document. */
  const ofTheAdminApi = ['CONFLICT', 'FORBIDDEN', 'CONFIRMATION_REQUIRED', 'TOO_MANY_REQUESTS'];
  let document: ApiDocument;
  before(async () => {
    document = await readDocument();
  });

  it('are those of the catalogue, under /v2 those of the contract (interface 7)', () => {
    expect(codesOfSchema('GeneralProblem')).to.have.members(all);
    expect(codesOfSchema('Problem')).to.have.members(v2);
    for (const { path, code } of documented().filter((one) => one.path.startsWith('/v2/'))) {
      expect(v2, path).to.include(code);
    }
  });

  it('come each with some operation, those of the admin API excepted', () => {
    const met = new Set(documented().map(({ code }) => code));
    expect([...met]).to.have.members(all.filter((code) => !ofTheAdminApi.includes(code)));
  });

  it('come with the statuses that the errors page names, here or from the edge', () => {
    for (const [code, statuses] of rowsOf(page, 'Problem codes')) {
      if (ofTheAdminApi.includes(code!)) continue;
      const found = new Set([
        ...documented().flatMap((one) => (one.code === code ? [one.status] : [])),
        ...ofTheEdge().flatMap((one) => (one.code === code ? [one.status] : [])),
      ]);
      found.delete('default');
      expect([...found].sort().join(', '), code).to.equal(statuses);
    }
  });

  it('of violations and warnings are those of the contract', () => {
    const { properties } = document.components['schemas']!['Violation']!;
    expect((properties as Record<string, Json>)['code']!['enum']).to.have.members(
      ViolationCode.anyOf.map((literal) => literal.const),
    );
    const warning = document.components['schemas']!['Warning']!['properties'] as {
      code: { enum?: unknown; 'x-extensible-enum': string[]; description: string };
    };
    const known = Warning.properties.code.anyOf.map((literal) => literal.const);
    expect(warning.code['x-extensible-enum']).to.have.members(known);
    expect(warning.code.enum).to.equal(undefined); // new ones may come (2.7)
    for (const code of known) expect(warning.code.description).to.include(code);
  });

  it('of the legacy endpoint are none: it answers {message} with the statuses of the page', () => {
    const { responses } = document.paths['/events']!['post']!;
    const statuses = Object.keys(responses).filter((status) => Number(status) >= 400);
    const rows = page.slice(page.indexOf('**`POST /events`**')).matchAll(/^\| ([\d, ]+?) +\|/gm);
    const listed = [...rows].flatMap(([, cell]) => cell!.split(', '));
    expect(listed).to.have.members([...statuses, '404']); // the 404 is of other paths
  });

  function codesOfSchema(name: string): unknown {
    const schema = document.components['schemas']![name]!;
    return (schema['properties'] as Record<string, Json>)['code']!['enum'];
  }

  /** Every code at every status of every operation, as the schemas narrow it. */
  function documented(): { path: string; status: string; code: ProblemCode }[] {
    return operationsOf(document).flatMap(({ path, operation }) =>
      Object.entries(operation.responses).flatMap(([status, response]) => {
        const content = resolve(document, response)['content'] as Content;
        const schema = content['application/problem+json']?.schema as
          { allOf: [Json, { properties: { code: { enum: ProblemCode[] } } }] } | undefined;
        const codes = schema?.allOf[1].properties.code.enum ?? [];
        return codes.map((code) => ({ path, status, code }));
      }),
    );
  }

  function ofTheEdge(): { status: string; code: string }[] {
    const none = { ingestApi: [], legacyEvents: [], processorEvents: [], widget: [], portal: [] };
    const log = { refusalsLog: 'refusals.log', statusListen: '8081', counter: '127.0.0.1:8210' };
    const template = renderEdge({ listen: '8080', ...none, ...log, limits: edgeLimits({}) });
    const answers = [...template.matchAll(/return (\d{3}) '(\{"type".*\})'/g)];
    expect(answers).to.not.have.length(0);
    return answers.map(([, status, text]) => {
      return { status: status!, code: (JSON.parse(text!) as { code: string }).code };
    });
  }
});
