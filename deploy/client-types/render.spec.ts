import { readFileSync } from 'node:fs';
import { v2Events } from '@tributary/contracts/public/v2-events';
import { expect } from 'chai';
import { wireTypesFile, wireTypesUrl } from './render.ts';
import { wireTypes } from './wire-schemas.ts';

describe('the wire types of the client', () => {
  it('are what the contracts say', async () => {
    const file = readFileSync(wireTypesUrl, 'utf8');
    expect(file, 'run: node deploy/client-types/main.ts').to.equal(await wireTypesFile());
  });

  it('have the body of every v2 event', () => {
    const schemas: unknown[] = wireTypes.map((wireType) => wireType.schema);
    for (const { schema } of Object.values(v2Events)) expect(schemas).to.include(schema);
  });

  it('close the lists of requests and open those of answers (2.7, 9 rule 4)', async () => {
    const text = (await wireTypesFile()).replace(/\s+/g, ' ');
    expect(text).to.match(/type Interval = [^;{]*'lifetime';/);
    expect(text).to.match(/type WarningCode = [^;]*'FIELD_NOT_YET_HONOURED' \| \(string & \{\}\);/);
    expect(text).to.match(/type ProblemCode = [^;]*'TOO_MANY_REQUESTS' \| \(string & \{\}\);/);
  });
});
