import { problemCatalogue, type ProblemCode } from '@tributary/contracts/problem';
import { expect } from 'chai';
import { edgeLimits } from './edge-limits.ts';
import { renderEdge } from './render-edge.ts';

describe('problem documents of the edge', () => {
  const rendered = renderEdge({
    listen: '8080',
    ingestApi: ['127.0.0.1:1', '127.0.0.1:2'],
    legacyEvents: ['127.0.0.1:3'],
    processorEvents: ['127.0.0.1:4'],
    widget: ['127.0.0.1:5'],
    portal: ['127.0.0.1:6'],
    refusalsLog: 'refusals.log',
    statusListen: '127.0.0.1:7',
    counter: '127.0.0.1:8',
    limits: edgeLimits({}),
  });
  const answers = [...rendered.matchAll(/return (\d{3}) '(\{"type".*\})';/g)];

  it('are closed and say what the catalogue says (interface 2.8)', () => {
    expect(answers).to.have.length(11);
    for (const [, status, text] of answers) {
      const { code, title, type, ...rest } = JSON.parse(text ?? '') as Record<string, unknown>;
      const row = problemCatalogue[code as ProblemCode];
      expect({ title, type }).to.deep.equal({ title: row.title, type: row.type });
      expect(rest).to.have.all.keys('status', 'detail', 'instance');
      expect(rest['status']).to.equal(Number(status));
    }
  });

  it('leave no refusal without a document, in both forms', () => {
    const pages = [...rendered.matchAll(/\$refusal\/([a-z-]+)/g)].map(([, name]) => name);
    expect(pages).to.have.length.above(5);
    for (const page of pages) {
      for (const form of ['problem', 'message']) {
        expect(rendered).to.include(`location = /edge-${form}/${page} {`);
      }
    }
  });

  it('stand for every status that nginx has a page of its own for', () => {
    const covered = [...rendered.matchAll(/error_page ([\d ]+)=/g)].flatMap(([, list]) =>
      list!.trim().split(/ +/),
    );
    const own = [...range(400, 406), ...range(408, 416), 421, 429, ...range(494, 497)];
    expect(covered).to.include.members([...own, ...range(500, 505), 507].map(String));
  });
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}
