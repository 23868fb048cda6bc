import { expect } from 'chai';
import fc from 'fast-check';
import { readLine, routes } from './read-line.ts';

const head = '<190>Nov 30 12:00:00 edge: ';

describe('a line of the edge', () => {
  it('is read: who answered, with what, how long it took, for which service', () => {
    expect(readLine(`${head}service 202 0.004 ingest_api`)).to.deep.equal({
      ...{ by: 'service', status: '202', seconds: 0.004, route: 'ingest-api' },
    });
    expect(readLine(`<190>Dec  1 12:00:00 edge: edge 404 0.000 `)).to.deep.equal({
      ...{ by: 'edge', status: '404', seconds: 0, route: 'none' },
    });
  });

  for (const text of [
    '',
    head,
    `${head}service 202 0.004 other`,
    `${head}service 202 0.004 ingest-api`,
    `${head}caller 202 0.004 ingest_api`,
    `${head}service 099 0.004 ingest_api`,
    `${head}service 600 0.004 ingest_api`,
    `${head}service 202 -0.004 ingest_api`,
    `${head}service 202 NaN ingest_api`,
    `${head}service 202 0.004 ingest_api\n`,
    `${head}service 202 0.004 ingest_api\n${head}service 202 0.004 ingest_api`,
    `${head}service 202 0.004 ingest_api x`,
    'edge 404 0.000 ',
  ]) {
    it(`is none: ${JSON.stringify(text)}`, () => {
      expect(readLine(text)).to.equal(undefined);
    });
  }

  it('has no words but those of the lists, whatever somebody sends', () => {
    const part = fc.oneof(
      fc.constantFrom(head, 'edge ', 'service ', '404 ', '0.004 ', 'portal', 'ingest_api', '\n'),
      fc.string({ unit: 'binary' }),
    );
    const text = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (line) => {
        const read = readLine(line);
        if (read === undefined) return;
        expect(routes).to.include(read.route);
        expect(['edge', 'service']).to.include(read.by);
        expect(read.status).to.match(/^[1-5]\d\d$/);
        expect(read.seconds).to.be.at.least(0);
      }),
    );
  });
});
