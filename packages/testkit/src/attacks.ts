import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/**
 * What `npm run security` plays, by what is attacked. Each attack is noted when it was made and
 * ended as it must; a group without any counts as a failure of the command.
 */
export const attackGroups = {
  tokens: 'access tokens: algorithm, key, claims, form',
  roles: 'every admin route as each role and as nobody',
  csrf: 'writes with a cookie from another origin',
  audit: 'writes that leave no entry, two, or one of somebody else',
  ssrf: 'webhook addresses that lead inside, also by DNS and redirects',
  domains: "pages on domains that are another tenant's, or nobody's",
  smuggling: 'requests that are two, half, endless or slow',
  limits: 'one caller that leaves nothing to others',
  principals: 'the wrong service at Kafka, Postgres and Redis',
  containers: 'a container with more than it needs',
  configuration: 'production with plaintext, guessable or missing secrets',
  'personal data': 'names and e-mails looked for after their erasure',
  secrets: 'secrets looked for in logs, answers, metrics, files and process arguments',
} as const;
export type AttackGroup = keyof typeof attackGroups;

export type Attack = { group: AttackGroup; what: string };

/** Called when an attack was made and what it must not reach was not reached. */
export function attackMade(group: AttackGroup, what: string): void {
  const file = process.env['TRIBUTARY_ATTACKS'];
  if (file) appendFileSync(file, `${JSON.stringify({ group, what } satisfies Attack)}\n`);
}

/** For a suite whose every test is an attack: each is noted that passes. */
export function everyTestAttacks(group: AttackGroup, after: After = afterEach): void {
  after(function () {
    const { currentTest } = this;
    if (currentTest?.state === 'passed') attackMade(group, currentTest.fullTitle());
  });
}
type After = (hook: (this: Mocha.Context) => void) => void;

/** What was noted in a file. */
export function readAttacks(file: string): Attack[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Attack);
}
