import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { patiently } from '@tributary/testkit/patience';
import { expect } from 'chai';
import { inheritedVariables } from './node-process.ts';
import { serviceTable, type ServiceRow } from './service-table.ts';
import { repository } from './state-dir.ts';

/** What a property of a schema of variables says of itself, as far as this needs it. */
type Property = { type?: string; secret?: boolean; default?: unknown; anyOf?: unknown[] };

const unknown = { TRIBUTARY_NO_SUCH_THING: 'yes', TRIBUTARY_KAFKA_BROKER: 'one.example:9092' };
/** Is in every wrong secret, so that none can be printed unnoticed. */
const canary = 'canary-9f2c';

describe('services in a wrong environment', () => {
  for (const row of serviceTable) {
    const properties = propertiesOf(row);
    const secrets = Object.entries(properties).filter(([, p]) => p.secret);
    const typed = Object.entries(properties).filter(
      ([, p]) => ['integer', 'boolean'].includes(p.type ?? '') || p.anyOf !== undefined,
    );
    const wrongTypes = Object.fromEntries(typed.map(([name]) => [name, 'twelve']));

    it(`${row.name} reports wrong types, unknown variables and missing ones at once`, async () => {
      const required = Object.entries(properties)
        .filter(([name, property]) => isRequired(row, name) && property.default === undefined)
        .map(([name]) => name)
        .filter((name) => !(name in wrongTypes));
      const { code, stdout, stderr } = await run(row, { ...wrongTypes, ...unknown });
      expect(typed.length, 'typed variables').to.be.greaterThan(3);
      expect(required.length, 'required variables').to.be.greaterThan(0);
      for (const name of Object.keys(wrongTypes)) expect(stderr).to.include(`${name}: must be `);
      for (const name of required) expect(stderr).to.include(`${name}: is missing`);
      for (const name of Object.keys(unknown)) {
        expect(stderr).to.include(`${name}: is not a variable of this service`);
      }
      expect(stderr).to.include('the nearest known name is TRIBUTARY_KAFKA_BROKERS');
      expect(code).to.equal(1);
      expect(stdout).to.equal('');
    });

    it(`${row.name} reports every wrong secret and prints none`, async () => {
      const wrong = Object.fromEntries(secrets.map(([name]) => [name, wrongSecret(name)]));
      const { code, stdout, stderr } = await run(row, { ...wrong, ...wrongTypes, ...unknown });
      for (const [name] of secrets) expect(stderr).to.include(`${name}: `);
      expect(`${stdout}${stderr}`).to.not.include(canary);
      expect(code).to.equal(1);
    });
  }
});

function propertiesOf(row: ServiceRow): Record<string, Property> {
  return row.schema.properties as Record<string, Property>;
}

function isRequired(row: ServiceRow, name: string): boolean {
  return (row.schema as { required?: string[] }).required?.includes(name) ?? false;
}

/**
 * Wrong in form for its kind: a URL of another protocol, a key that is no base64, two keys in one.
 */
function wrongSecret(name: string): string {
  return name.endsWith('_URL') ? `https://user:${canary}@host:1/db` : `${canary} ${canary}`;
}

async function run(row: ServiceRow, env: Record<string, string>) {
  const cwd = join(repository, 'services', row.name);
  const child = spawn(process.execPath, [join(cwd, 'src/main.ts')], {
    cwd,
    env: { ...inheritedVariables(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: patiently(30_000),
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}
