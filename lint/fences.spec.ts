import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ESLint } from 'eslint';

// Each fence by what ESLint says about a line in a file at that place, under the real
// configuration.

const root = join(import.meta.dirname, '..');

describe('the import fences', function () {
  this.timeout(30_000);

  const domain = 'services/rewards/src/domain/fold.ts';
  const db = 'services/rewards/src/db/rows.ts';

  for (const [file, line] of [
    [domain, `import { topics } from '@tributary/contracts/topics';`],
    [domain, `import { credits } from './credits.ts';`],
    ['services/rewards/src/domain/fold.spec.ts', `import { expect } from 'chai';`],
    [db, `import { inTransaction } from '@tributary/runtime/postgres';`],
    [db, `import { fold } from '../domain/fold.ts';`],
    [domain, `import { parseCredits } from '@tributary/rewards-fold/credits';`],
    ['services/portal/src/console/db/x.ts', `import { x } from '../../catalog/db/x.ts';`],
    ['services/portal/src/http/x.ts', `import { x } from '../console/commands/x.ts';`],
    ['services/rewards/src/config.ts', `import type { Settings } from './app.ts';`],
    ['services/rewards/src/db/x.spec.ts', `import { x } from '../http/x.ts';`],
    ['packages/event-log/src/kafka.ts', `import kafkajs from 'kafkajs';`],
    ['packages/event-log/src/x.int.spec.ts', `import '@tributary/testkit/servers';`],
    ['packages/http/src/server.ts', `import '@tributary/runtime/logger';`],
    ['packages/cli/src/testing/x.ts', `import '@tributary/event-log/kafka';`],
    ['deploy/local/table.ts', `import '../../services/rewards/src/config.ts';`],
    ['test-e2e/path.spec.ts', `import '@tributary/testkit/eventually';`],
    ['test-faults/oracle/x.spec.ts', `import '../../packages/rewards-fold/src/domain/fold.ts';`],
    [
      'test-faults/webhooks/dispatcher-process.ts',
      `import '../../services/webhook-dispatcher/src/app.ts';`,
    ],
    [
      'test-faults/processor/processor-process.ts',
      `import '../../services/processor-events/src/app.ts';`,
    ],
  ] as const) {
    it(`lets ${file} say ${line}`, async () => {
      expect(await problems(file, line, 'tributary/import-fence')).to.deep.equal([]);
    });
  }

  for (const [file, line, reason] of [
    [domain, `import pg from 'pg';`, /domain imports/],
    [domain, `import { readFile } from 'node:fs/promises';`, /domain imports/],
    [domain, `import { now } from '@tributary/runtime/clock';`, /domain imports/],
    [domain, `import { rows } from '../db/rows.ts';`, /domain imports/],
    [domain, `const rows = import('../db/rows.ts');`, /domain imports/],
    [domain, `export { rows } from '../db/rows.ts';`, /domain imports/],
    [db, `import kafkajs from 'kafkajs';`, /kafkajs/],
    [db, `import type { Kafka } from 'kafkajs';`, /kafkajs/],
    ['packages/testkit/src/x.ts', `import { Kafka } from 'kafkajs';`, /kafkajs/],
    [db, `import '../../../portal/src/domain/tenant.ts';`, /must not import services\/portal/],
    [db, `import '@tributary/portal/config';`, /must not import services\/portal/],
    [db, `import '../../../../packages/runtime/src/clock.ts';`, /by its name/],
    [db, `import '@tributary/testkit/eventually';`, /test servers are for tests/],
    [db, `import '../testing/records.ts';`, /testing folder/],
    [db, `import type { Work } from '../fold/gather.ts';`, /db must not import fold/],
    [db, `export { work } from '../commands/work.ts';`, /db must not import commands/],
    [db, `import type { Settings } from '../app.ts';`, /db must not import app/],
    ['services/rewards/src/log/x.ts', `import '../workers/x.ts';`, /log must not import workers/],
    ['services/rewards/src/http/x.ts', `import '../workers/x.ts';`, /http must not import workers/],
    [
      'services/widget/src/metrics.ts',
      `import type { X } from './http/x.ts';`,
      /must not import http/,
    ],
    [
      'services/portal/src/catalog/log/x.ts',
      `import '../commands/x.ts';`,
      /must not import commands/,
    ],
    ['services/portal/src/catalog/http.ts', `import '../console/db/x.ts';`, /nothing of console/],
    ['services/portal/src/console/domain/x.ts', `import pg from 'pg';`, /domain imports/],
    ['packages/contracts/src/x.ts', `import '@tributary/runtime/ids';`, /no workspace package/],
    ['packages/runtime/src/x.ts', `import '@tributary/contracts/topics';`, /no workspace package/],
    ['packages/http/src/x.ts', `import '@tributary/event-log/kafka';`, /may import/],
    ['packages/event-log/src/x.ts', `import '@tributary/http/server';`, /may import/],
    ['packages/cli/src/x.ts', `import '../../../services/portal/src/app.ts';`, /must not import/],
    ['packages/cli/src/x.ts', `import '@tributary/http/server';`, /may import/],
    ['packages/client/src/x.ts', `import '@tributary/contracts/problem';`, /no workspace package/],
    ['packages/nobody/src/x.ts', `import '@tributary/runtime/ids';`, /packages\/nobody has no row/],
    [db, `import '@tributary/nobody/x';`, /packages\/nobody has no row/],
    ['test-e2e/path.spec.ts', `import '@tributary/event-log/kafka';`, /test-e2e/],
    ['test-e2e/path.spec.ts', `import '../services/portal/src/app.ts';`, /must not import/],
    ['test-faults/kill.spec.ts', `import '../services/portal/src/app.ts';`, /must not import/],
  ] as const) {
    it(`keeps ${file} from saying ${line}`, async () => {
      const found = await problems(file, line, 'tributary/import-fence');
      expect(found.join('\n')).to.match(reason);
    });
  }
});

describe('the syntax fences', function () {
  this.timeout(30_000);

  const domain = 'services/rewards/src/domain/fold.ts';
  const app = 'services/rewards/src/app.ts';

  for (const line of [
    `export const at = Date.now();`,
    `export const at = new Date();`,
    `export const luck = Math.random();`,
    `export const where = process.cwd();`,
    `export const id = crypto.randomUUID();`,
    `export const later = setTimeout(f, 1);`,
    `console.log('seen');`,
    `export const f = async () => { await g(); };`,
  ]) {
    it(`keeps domain from saying ${line}`, async () => {
      expect((await problems(domain, line, 'no-restricted-syntax')).join()).to.match(
        /domain has no/,
      );
    });
  }

  it('lets domain read an instant that it was given', async () => {
    const line = `export const ms = (text: string) => new Date(text).getTime();`;
    expect(await problems(domain, line, 'no-restricted-syntax')).to.deep.equal([]);
  });

  for (const file of [app, domain, 'packages/runtime/src/config.ts']) {
    it(`keeps ${file} from reading process.env`, async () => {
      const found = await problems(
        file,
        `export const x = process.env['X'];`,
        'no-restricted-syntax',
      );
      expect(found.join()).to.match(/process\.env/);
    });
  }

  for (const file of ['services/rewards/src/main.ts', 'deploy/local/start.ts', 'bench/main.ts']) {
    it(`lets ${file} read process.env`, async () => {
      const found = await problems(
        file,
        `export const x = process.env['X'];`,
        'no-restricted-syntax',
      );
      expect(found).to.deep.equal([]);
    });
  }

  for (const line of [
    `export const sum = Number(credits);`,
    `export const sum = parseFloat(credits);`,
    `export const sum = +credits;`,
    `export const cell = <b dangerouslySetInnerHTML={{ __html: text }} />;`,
    `element.innerHTML = text;`,
  ]) {
    it(`keeps the portal's pages from saying ${line}`, async () => {
      const page = 'services/portal/browser/src/pages/rewards/screen.tsx';
      expect(await problems(page, line, 'no-restricted-syntax')).to.have.length(1);
    });
  }

  for (const line of [
    `const options = { rules: { 'color-contrast': { enabled: false } } };`,
    `builder.disableRules(['color-contrast']);`,
    `await page.evaluate("axe.run(document, { runOnly: ['wcag2a'] })");`,
    'await page.evaluate(`axe.run(document, { rules: { region: { enabled: false } } })`);',
  ]) {
    it(`keeps tests of pages from saying ${line}`, async () => {
      const spec = 'test-e2e/portal/pages.spec.ts';
      expect((await problems(spec, line, 'no-restricted-syntax')).join()).to.match(/all its rules/);
    });
  }

  for (const line of [`export default 1;`, `export * from './x.ts';`]) {
    it(`keeps every file from saying ${line}`, async () => {
      expect(await problems(app, line, 'no-restricted-syntax')).to.have.length(1);
    });
  }
});

describe('the rules that need types', function () {
  this.timeout(60_000);

  it('are asked: oxlint finds a promise that nobody waits for, and what is no longer typed', () => {
    const dir = mkdtempSync(join(tmpdir(), 'tributary-typed-lint-'));
    try {
      const files = {
        '.oxlintrc.json': readFileSync(join(root, '.oxlintrc.json'), 'utf8'),
        'tsconfig.json': '{ "compilerOptions": { "strict": true, "types": [] } }',
        'a.ts': `async function later(): Promise<void> {}
export function now(text: string): void { later(); JSON.parse(text).call(); }`,
      };
      for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
      const oxlint = join(root, 'node_modules/oxlint/bin/oxlint');
      const { stdout, status } = spawnSync(process.execPath, [oxlint], {
        ...{ cwd: dir, encoding: 'utf8' },
      });
      expect(stdout).to.include('no-floating-promises').and.include('no-unsafe-call');
      expect(status).to.equal(1);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});

const eslint = new ESLint({ cwd: root });

async function problems(file: string, line: string, rule: string): Promise<string[]> {
  const [result] = await eslint.lintText(`${line}\n`, { filePath: join(root, file) });
  const messages = result?.messages ?? [];
  const broken = messages.find((message) => message.fatal);
  if (broken !== undefined) throw new Error(broken.message);
  return messages.filter((message) => message.ruleId === rule).map((message) => message.message);
}
