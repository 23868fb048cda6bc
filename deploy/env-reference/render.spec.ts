import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { meanings } from './meanings.ts';
import { documented, envReferencePage } from './render.ts';

describe('the reference of environment variables', () => {
  const names = documented.flatMap(({ schema }) => Object.keys(schema.properties));

  it('is what the schemas of the services say', async () => {
    const page = readFileSync(new URL('../env-reference.md', import.meta.url), 'utf8');
    expect(page, 'run: node deploy/env-reference/main.ts').to.equal(await envReferencePage());
  });

  it('says of every variable what it is for, and of no other', () => {
    expect(Object.keys(meanings)).to.have.members([...new Set(names)]);
  });

  it('names every variable TRIBUTARY_… except SERVICE_ENV', () => {
    const odd = names.filter((name) => !name.startsWith('TRIBUTARY_') && name !== 'SERVICE_ENV');
    expect(odd).to.deep.equal([]);
  });
});
