import { problemCatalogue, type ProblemCode } from '@tributary/contracts/problem';
import { expect } from 'chai';
import { renderEdge } from './render-edge.ts';

describe('problem documents of the edge', () => {
  const rendered = renderEdge({
    listen: '8080',
    ingestApi: ['127.0.0.1:1', '127.0.0.1:2'],
    legacyEvents: ['127.0.0.1:3'],
    portal: ['127.0.0.1:4'],
  });
  const answers = [...rendered.matchAll(/return (\d{3}) '(\{.*\})';/g)];

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

  it('leave no error page without a document', () => {
    const pages = [...rendered.matchAll(/\/edge-problem\/([a-z-]+)/g)].map(([, name]) => name);
    for (const page of pages) {
      expect(rendered).to.include(`location = /edge-problem/${page} {`);
    }
  });
});
