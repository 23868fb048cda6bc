import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type FakeService, json, problem, purchase, startService } from './testing/fake-service.ts';
import {
  createPackedProject,
  type PackedProject,
  readmeSnippets,
} from './testing/packed-project.ts';
import { credentials, startReceiver } from './verify/testing/receiver.ts';

const run = promisify(execFile);
const repository = join(import.meta.dirname, '../../..');

describe('the packed client', function () {
  this.timeout(120_000);
  let project: PackedProject;
  let service: FakeService;
  before(async () => {
    project = await createPackedProject();
    service = await startService();
  });
  beforeEach(() => service.reset());
  after(async () => {
    await service?.stop();
    await project?.remove();
  });

  const installed = (file: string) =>
    readFile(join(project.dir, 'node_modules/@tributary/client', file), 'utf8');

  it('holds the built files with their types, the README, and no source or test', () => {
    const kinds = project.files.map((path) =>
      path.replace(/^dist\/(verify\/)?[\w-]+\./, 'dist/x.'),
    );
    expect([...new Set(kinds)].sort()).to.deep.equal([
      ...['README.md', 'dist/x.d.ts', 'dist/x.js', 'package.json'],
    ]);
    for (const name of ['browser', 'client', 'errors', 'webhook', 'wire-types']) {
      expect(project.files).to.include.members([`dist/${name}.js`, `dist/${name}.d.ts`]);
    }
  });

  it('imports its own files and Node alone, and depends on nothing', async () => {
    for (const file of project.files.filter((path) => path.startsWith('dist/'))) {
      const text = await installed(file);
      const sources = [...text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)];
      const foreign = sources
        .map(([, source = '']) => source)
        .filter((s) => !/^(node:|\.\.?\/)/.test(s));
      expect(foreign, file).to.deep.equal([]);
    }
    const manifest = JSON.parse(await installed('package.json')) as object;
    expect(manifest).to.not.have.any.keys('dependencies', 'peerDependencies');
    expect(JSON.stringify(manifest)).to.not.match(/workspace:|catalog:/);
  });

  it('reports a purchase in ten lines (README)', async () => {
    service.api.turns.push(json(200, { code: purchase.ucc, valid: true }));
    const { 'report.mjs': report = '' } = await readmeSnippets();
    await project.write('report.mjs', report);
    const { stdout } = await run(process.execPath, ['report.mjs'], {
      cwd: project.dir,
      env: {
        TRIBUTARY_URL: service.baseUrl,
        ...{ ACCESS_KEY_ID: 'ak-1', ACCESS_KEY: 'secret', UCC: purchase.ucc },
      },
    });
    expect(stdout).to.match(/eventId: '01a1fe03-/);
    const [, sent] = service.api.seen;
    expect(JSON.parse(sent!.body)).to.include({ ucc: purchase.ucc, amount: 4900 });
  });

  it('tells violations from what may be tried later (README)', async () => {
    const { 'report-safely.mjs': reportSafely = '' } = await readmeSnippets();
    await project.write('report-safely.mjs', reportSafely);
    await project.write('try.mjs', tryReportSafely(service.baseUrl));
    const errors = [{ pointer: '/amount', code: 'OUT_OF_RANGE', detail: 'Too small.' }];
    service.api.turns.push(
      problem(422, 'VALIDATION_ERROR', { errors }),
      problem(503, 'SERVICE_UNAVAILABLE'),
    );
    const { stdout } = await run(process.execPath, ['try.mjs'], { cwd: project.dir });
    const [violations, later] = JSON.parse(stdout) as [unknown, { idempotencyKey: string }];
    expect(violations).to.deep.equal(['/amount: OUT_OF_RANGE']);
    expect(later.idempotencyKey).to.equal(service.api.seen[1]?.headers['idempotency-key']);
  });

  it('plays the receiver rules by npx in an empty folder, offline', async () => {
    const receiver = await startReceiver();
    try {
      const flags = ['--username', credentials.username, '--password-file', '-', '--insecure-http'];
      const { href } = receiver.url;
      const verified = await project.npx(
        ['webhook-verify', href, ...flags],
        `${credentials.password}\n`,
      );
      expect(verified.code, verified.out).to.equal(0);
      expect(verified.out).to.contain('All 33 checks passed.');
      const send = ['webhook-send', href, ...flags, '--event-id', 'e-17', '--amount', '2.5'];
      const sent = await project.npx(send, credentials.password);
      expect(sent.code, sent.out).to.equal(0);
      expect(sent.out).to.match(/^new-reward e-17: 200 said \(\d+ ms\)$/m);
      expect([...receiver.granted]).to.include('e-17');
      const { reward } = (
        JSON.parse(receiver.requests.at(-1)!.body) as { data: { reward: object } }
      ).data;
      expect(reward).to.deep.equal({ amount: 2.5 });
    } finally {
      await receiver.stop();
    }
  });

  it('says by npx which rule a receiver breaks, and exits 1; a mistake exits 2', async () => {
    const receiver = await startReceiver({ mistakeStatus: 422 });
    try {
      const flags = ['--username', credentials.username, '--password-file', '-'];
      const { href } = receiver.url;
      const http = ['webhook-verify', href, ...flags];
      const broken = await project.npx([...http, '--insecure-http'], credentials.password);
      expect(broken.code).to.equal(1);
      expect(broken.out).to.contain('11 of 33 checks failed. Broken: rule 3');
      const refused = await project.npx(http, credentials.password);
      expect([refused.code, refused.out.includes('--insecure-http')]).to.deep.equal([2, true]);
    } finally {
      await receiver.stop();
    }
  });

  it('compiles in a strict TypeScript project, and refuses what the contract refuses', async () => {
    await project.write('use.ts', use);
    expect(await compile()).to.equal('');
  });

  async function compile(): Promise<string> {
    const compilerOptions = {
      ...{ module: 'nodenext', target: 'es2022', strict: true, noEmit: true },
      ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
      ...{ types: ['node'], typeRoots: [join(repository, 'node_modules/@types')] },
    };
    await project.write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['use.ts'] }));
    const tsc = join(repository, 'node_modules/typescript/bin/tsc');
    return run(process.execPath, [tsc, '-p', project.dir], { cwd: project.dir }).then(
      ({ stdout }) => stdout,
      ({ stdout }: { stdout: string }) => stdout,
    );
  }
});

const tryReportSafely = (baseUrl: string) => `
  import { createTributaryClient } from '@tributary/client';
  import { reportSafely } from './report-safely.mjs';
  const key = { accessKeyId: 'ak-1', secretAccessKey: 'secret' };
  const tributary = createTributaryClient({ baseUrl: '${baseUrl}', ...key, maxAttempts: 1 });
  const purchase = ${JSON.stringify(purchase)};
  const tryLater = (_purchase, options) => options;
  const violations = await reportSafely(tributary, purchase, tryLater);
  const later = await reportSafely(tributary, purchase, tryLater);
  console.log(JSON.stringify([violations, later]));
`;

const use = `
  import { createServer } from 'node:http';
  import type { CampaignConfig, TributaryPage } from '@tributary/client/browser';
  import { createTributaryClient, type TributaryClient } from '@tributary/client';
  import { TributaryNetworkError, TributaryProblem } from '@tributary/client/errors';
  import { grantOnce, receiveReward, type Reward, rewardWebhook } from '@tributary/client/webhook';
  import type { Accepted, PurchaseCreated } from '@tributary/client/wire-types';

  declare const page: TributaryPage;
  page.Tributary?.cmd.push(async (widget) => {
    await widget.boot({ token: 't', productUserDetails: { firstName: 'Ada' } });
    widget.on('copied', ({ link }) => console.log(link.length));
    // @ts-expect-error interface 4.7 rule 3
    await widget.boot({ token: 't' });
  });
  export const config: Promise<CampaignConfig> | undefined =
    page.TributaryAttribution?.('getCampaignConfig');

  const client: TributaryClient = createTributaryClient({
    baseUrl: 'https://referrals.example',
    accessKeyId: 'ak',
    secretAccessKey: 'secret',
    onWarning: ({ code }, { eventId }) => console.log(code.length, eventId.length),
    fetch: (input, init) => fetch(input, init),
  });
  const purchase: PurchaseCreated = {
    ucc: 'x',
    occurredAt: new Date().toISOString(),
    newUser: { id: 'u', email: undefined },
    currency: 'EUR',
    invoiceId: 'i',
    amount: 4900,
    subscription: { interval: 'monthly' },
  };
  // @ts-expect-error 4.1 rule 2
  export const text: PurchaseCreated = { ...purchase, amount: '4900' };
  // @ts-expect-error 2.5
  export const daily: PurchaseCreated = { ...purchase, subscription: { interval: 'daily' } };
  // @ts-expect-error 4.1 rule 1
  export const unknown: PurchaseCreated = { ...purchase, price: 4900 };
  export async function main(signal: AbortSignal): Promise<Accepted | undefined> {
    const link = await client.activeLink('u', { signal });
    const owner: string | undefined = (await client.lookup(link?.activeUcc ?? 'x'))?.productUserId;
    try {
      const accepted = await client.purchaseCreated(purchase, { signal, idempotencyKey: owner });
      const { outcome, rewards } = await client.waitForDecision(accepted.eventId, { signal });
      console.log(outcome, rewards[0]?.entitledCredits, (await client.event('e'))?.reason);
      return accepted;
    } catch (error) {
      if (error instanceof TributaryProblem) {
        switch (error.code) {
          case 'VALIDATION_ERROR':
            console.log(error.errors.map(({ pointer }) => pointer));
            break;
          case 'A_NEW_CODE':
            break;
        }
      }
      if (error instanceof TributaryNetworkError) console.log(error.timedOut, error.attempts);
      return undefined;
    }
  }
  const grant = grantOnce<Set<string>>({
    transaction: (work) => work(new Set()),
    insertOnce: async (seen, { eventId }) => !seen.has(eventId),
    credit: async (_seen, { amount }: Reward) => console.log(amount.toFixed(2)),
  });
  const handle = rewardWebhook({ credentials: [{ username: 'u', password: 'p' }], grant });
  createServer((req, res) => void handle(req, res));
  const answer = await receiveReward(
    { authorization: undefined, body: new Uint8Array() },
    { username: 'u', password: 'p', grant },
  );
  console.log(answer.status, answer.body);
`;
