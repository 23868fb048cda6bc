import { expect } from 'chai';
import { ignorePatterns, isIgnored } from './image-files.ts';

describe('files of the image', () => {
  const patterns = ignorePatterns('# a comment\n**/node_modules\n\n**/*.spec.ts\ntested\n');

  it('leaves out comments and empty lines of .dockerignore', () => {
    expect(patterns).to.deep.equal(['**/node_modules', '**/*.spec.ts', 'tested']);
  });

  for (const [file, ignored] of [
    ['a/src/main.js', false],
    ['a/src/main.spec.ts', true],
    ['main.spec.ts', true],
    ['a/node_modules/x/index.js', true],
    ['node_modules/x/index.js', true],
    ['tested/pages/a.js', true],
    ['other/tested/a.js', false],
  ] as const) {
    it(`${ignored ? 'leaves out' : 'takes'} ${file}`, () => {
      expect(isIgnored(file, patterns)).to.equal(ignored);
    });
  }
});
