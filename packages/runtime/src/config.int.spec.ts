import { expect } from 'chai';
import { moduleUrl, runScript } from './testing.ts';

// As a service's main.ts begins.
const main = `
  import { Type } from ${JSON.stringify(import.meta.resolve('@sinclair/typebox'))};
  import { loadConfig } from ${moduleUrl('./config.ts')};
  import { webhookPasswordRing } from ${moduleUrl('./key-rings.ts')};
  import { kafkaVariables, processVariables } from ${moduleUrl('./variables.ts')};
  const schema = Type.Object({ ...processVariables, ...kafkaVariables, ...webhookPasswordRing });
  const config = loadConfig(schema, process.env, 'demo-service');
  console.log(JSON.stringify(config));
`;

describe('a service with a wrong environment', () => {
  it('names every mistake in one run and exits with code 1', async () => {
    const { ended, output } = runScript(main, {
      SERVICE_ENV: 'production',
      TRIBUTARY_ADMIN_PORT: 'http',
      TRIBUTARY_KAFKA_BROKERS: 'localhost',
      TRIBUTARY_KAFKA_SASL_MECHANISM: 'plain',
      TRIBUTARY_KAFKA_SASL_PASSWORD: 'hunter2',
      TRIBUTARY_WEBHOOK_PASSWORD_KEYRING: 'k1:hunter3',
    });
    expect(await ended).to.deep.equal({ code: 1, signal: null });
    expect(output.stdout).to.equal('');
    expect(output.stderr.trimEnd().split('\n')).to.deep.equal([
      'demo-service: 6 mistakes in the environment',
      '  - SERVICE_ENV: must be prod or sandbox, not "production"',
      '  - TRIBUTARY_ADMIN_PORT: must be a whole number from 0 to 65535, not "http"',
      '  - TRIBUTARY_KAFKA_BROKERS: entry 1 is wrong; it must be host:port, or several with commas between',
      '  - TRIBUTARY_KAFKA_SASL_MECHANISM: is set without TRIBUTARY_KAFKA_SASL_USERNAME',
      '  - TRIBUTARY_WEBHOOK_PASSWORD_KEY_RING: is missing; it must be keyId:base64 of 32 random bytes, or several with commas between, newest first',
      '  - TRIBUTARY_WEBHOOK_PASSWORD_KEYRING: is not a variable of this service; the nearest known name is TRIBUTARY_WEBHOOK_PASSWORD_KEY_RING',
    ]);
  });

  it('goes on when nothing is wrong', async () => {
    const { ended, output } = runScript(main, {
      SERVICE_ENV: 'sandbox',
      TRIBUTARY_ADMIN_PORT: '8201',
      TRIBUTARY_KAFKA_BROKERS: 'localhost:9092',
      TRIBUTARY_WEBHOOK_PASSWORD_KEY_RING: `k1:${Buffer.alloc(32).toString('base64')}`,
    });
    expect(await ended).to.deep.equal({ code: 0, signal: null });
    expect(JSON.parse(output.stdout)).to.include({ TRIBUTARY_ADMIN_PORT: 8201 });
  });
});
