import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { findForeign } from './room-contents.ts';
import { findMisplaced } from './service-rooms.ts';
import { listFiles } from './source-texts.ts';

const root = join(import.meta.dirname, '..');

// Which room may import which is for ESLint to say (import-fence.ts, fences.spec.ts).
describe('the rooms of a service', () => {
  it('hold every file of it, and nothing that belongs into another room', async () => {
    const files = await listFiles(root, ['services/*/src/**/*.ts']);
    expect(files).to.have.length.above(500);
    const found: string[] = [];
    for (const file of files) {
      const misplaced = findMisplaced(file);
      if (misplaced !== undefined) found.push(`${file}: ${misplaced}`);
      const code = await readFile(join(root, file), 'utf8');
      found.push(...findForeign(file, code).map((what) => `${file}: ${what}`));
    }
    expect(found).to.deep.equal([]);
  });

  for (const file of [
    'services/rewards/src/main.ts',
    'services/rewards/src/app.int.spec.ts',
    'services/rewards/src/start-issuance-relay.ts',
    'services/rewards/src/db/entitlements.ts',
    'services/rewards/src/fold/fold-facts.ts',
    'services/portal/src/http/admin-api.ts',
    'services/portal/src/catalog/commands/create-tenant.ts',
    'packages/http/src/server.ts',
  ]) {
    it(`may be ${file}`, () => {
      expect(findMisplaced(file)).to.equal(undefined);
    });
  }

  for (const file of [
    'services/rewards/src/sweeper.ts',
    'services/rewards/src/adapters/postgres/rows.ts',
    'services/rewards/src/stripe/client.ts',
    'services/portal/src/db/tenants.ts',
    'services/portal/src/console/http/routes.ts',
  ]) {
    it(`cannot be ${file}`, () => {
      expect(findMisplaced(file)).to.be.a('string');
    });
  }

  const log = 'services/rewards/src/log/x.ts';
  const app = 'services/rewards/src/app.ts';

  for (const [file, code] of [
    [log, 'await tx.query(statement);'],
    [log, 'const text = `select 1 from entitlement where id = ${id}`;'],
    [log, "const text = 'insert into entitlement (id) values ($1)';"],
    [log, "const text = 'update entitlement set state = $1';"],
    [log, "const text = 'set local lock_timeout = 1000';"],
    [log, "const text = 'savepoint one';"],
    [log, "import express from 'express';"],
    [log, "import type { IncomingMessage } from 'node:http';"],
    [log, "import { declaredRoute } from '@tributary/http/declared-route';"],
    [log, "import type { InternalRoute } from '@tributary/http/internal-router';"],
    [app, "import express from 'express';"],
    [app, "import { declaredRoute } from '@tributary/http/declared-route';"],
    [app, 'await pool.query(statement);'],
  ] as const) {
    it(`keep ${file} from saying ${code}`, () => {
      expect(findForeign(file, code)).to.have.length(1);
    });
  }

  for (const [file, code] of [
    [log, "const line = 'with it when there is one'; const kind = 'commit-check';"],
    [log, 'const { query } = asked; // select 1 from entitlement'],
    [app, "import type express from 'express';"],
    [app, "import { createInternalRouter } from '@tributary/http/internal-router';"],
    ['services/rewards/src/db/x.ts', 'await tx.query(`select 1 from entitlement`);'],
    ['services/rewards/src/http/x.ts', "import express from 'express';"],
    ['services/rewards/src/log/x.spec.ts', 'await pool.query(`select 1 from entitlement`);'],
  ] as const) {
    it(`let ${file} say ${code}`, () => {
      expect(findForeign(file, code)).to.deep.equal([]);
    });
  }
});
