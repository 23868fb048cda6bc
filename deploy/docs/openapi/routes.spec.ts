import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { v2Events } from '@tributary/contracts/public/v2-events';
import { expect } from 'chai';
import { listFiles, readLiterals } from '../../../lint/source-texts.ts';
import { readDocument } from './testing/document.ts';

const root = join(import.meta.dirname, '../../..');

/** What is asked at run time is in test-e2e/openapi.spec.ts; here, that no route stays unnamed. */
describe('the paths of the OpenAPI document', () => {
  let paths: string[];
  before(async () => {
    paths = Object.keys((await readDocument()).paths);
  });

  it('are the v2 events of the table and the fixed routes, and no other', () => {
    expect(paths).to.have.members([
      ...Object.keys(v2Events).map((type) => `/v2/events/${type}`),
      '/token',
      '/referral-codes/{code}',
      '/referral-codes/active-link/{productUserId}',
      '/events',
    ]);
  });

  it('cover every path that the public services spell', async () => {
    const services = '{ingest-api,legacy-events}';
    const files = await listFiles(root, [`services/${services}/src/http/*.ts`]);
    const spelled = new Set<string>();
    for (const file of files.filter((name) => !name.endsWith('.spec.ts'))) {
      for (const text of await readLiterals(join(root, file))) {
        const isPath = /^\/[a-z]/.test(text) && !text.startsWith('/idempotencyKey');
        if (isPath) spelled.add(text);
      }
    }
    expect([...spelled]).to.include.members(['/token', '/events', '/v2/events/']);
    // `/v2?` and `/v2` are asked about to refuse whatever has no event below it.
    const known = (text: string) => paths.some((path) => path.startsWith(text.replace('?', '/')));
    expect([...spelled].filter((text) => !known(text))).to.deep.equal([]);
  });

  it('cover what the edge lets through to those services', async () => {
    const edge = await readFile(join(root, 'deploy/edge/edge.conf.template'), 'utf8');
    const rules = edge.matchAll(
      /^ +"~\^\/\(?([a-z0-9|-]+)\)?\(.*" +(?:ingest_api|legacy_events);$/gm,
    );
    const opened = [...rules].flatMap(([, names]) => names!.split('|'));
    const first = new Set(paths.map((path) => path.split('/')[1]));
    expect(opened).to.have.members([...first]);
  });
});
