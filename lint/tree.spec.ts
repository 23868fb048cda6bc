import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findSchemaNames, looksLikeSql } from './schema-names.ts';
import { listFiles, literalsOf, readLiterals } from './source-texts.ts';

const root = join(import.meta.dirname, '..');

describe('the SQL of services', () => {
  it('names no schema in a migration', async () => {
    const files = await listFiles(root, [
      'services/*/migrations/**/*.sql',
      'packages/*/migrations/*.sql',
    ]);
    expect(files).to.not.have.length(0);
    const found: string[] = [];
    for (const file of files) {
      const sql = await readFile(join(root, file), 'utf8');
      found.push(...findSchemaNames(sql).map((name) => `${file}: ${name}`));
    }
    expect(found).to.deep.equal([]);
  });

  it('names no schema in a statement', async () => {
    const files = await listFiles(root, [
      'services/*/src/**/*.ts',
      'packages/event-log/src/**/*.ts',
      'packages/generations/src/**/*.ts',
    ]);
    const found: string[] = [];
    let statements = 0;
    // Tests look in from outside, by a connection that has no search path.
    const isTest = (file: string) => /\.spec\.ts$|\/testing\//.test(file);
    // Looks at a stage of any generation by the name of its schema (decision 30).
    const isExempt = (file: string) => file === 'packages/generations/src/stage-state.ts';
    for (const file of files.filter((name) => !isTest(name) && !isExempt(name))) {
      for (const text of (await readLiterals(join(root, file))).filter(looksLikeSql)) {
        statements += 1;
        found.push(...findSchemaNames(text).map((name) => `${file}: ${name}`));
      }
    }
    expect(statements).to.be.greaterThan(10);
    expect(found).to.deep.equal([]);
  });

  for (const sql of [
    'select * from portal.tenant',
    'select 1 from tenant join "portal"."access_key" using (id)',
    'insert into dispatch.delivery (id) values ($1)',
    'update rewards_g1.entitlement set x = 1',
    'delete from only ingest.code',
    'create table if not exists portal.tenant (id text)',
    'create unique index tenant_name on portal.tenant (name)',
    'create table a (b text references portal.tenant (id))',
    'create schema portal',
    'set local search_path to portal',
  ]) {
    it(`is caught when it says: ${sql}`, () => {
      expect(findSchemaNames(sql)).to.not.have.length(0);
    });
  }

  for (const sql of [
    'select t.id from tenant t join access_key k on k.tenant_id = t.id',
    'update entitlement set state = incoming.state from incoming where incoming.id = entitlement.id',
    'select extract(epoch from delivery.at) from delivery',
    'select 1 where a.b is distinct from c.d',
    "select 'from portal.tenant' -- from portal.tenant",
    'select count(*) from pg_catalog.pg_locks',
  ]) {
    it(`may say: ${sql}`, () => {
      expect(findSchemaNames(sql)).to.deep.equal([]);
    });
  }
});

describe('topic names', () => {
  it('are spelled in contracts/topics.ts only (design 3)', async () => {
    const folders = '{packages,services,deploy,bench,test-e2e,test-faults}';
    const files = await listFiles(root, [`${folders}/**/*.ts`, `${folders}/**/*.mjs`]);
    const found: string[] = [];
    for (const file of files.filter((name) => !isTopicTable(name))) {
      const texts = (await readLiterals(join(root, file))).filter((text) => topicName.test(text));
      found.push(...texts.map((text) => `${file}: ${text}`));
    }
    expect(found).to.deep.equal([]);
  });

  it('are looked for in code, not in comments', () => {
    const code = "// referral.events\nconst a = 'referral.events', b = `x ${a} referral.codes`;";
    expect(literalsOf(code).filter((text) => topicName.test(text))).to.have.length(2);
  });

  const topicName =
    /\breferral\.(?:events|people|codes|catalog|attributions|rewards|issuances|deliveries|dead-letters)\b/;

  function isTopicTable(file: string): boolean {
    return /^packages\/contracts\/src\/topics(\.spec)?\.ts$/.test(file);
  }
});
