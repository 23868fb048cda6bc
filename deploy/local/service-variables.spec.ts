import { makeTokenSigningKey } from '@tributary/runtime/token-keys';
import { expect } from 'chai';
import type { DeploymentSecrets } from './deployment-secrets.ts';
import { type ServiceRow, serviceTable } from './service-table.ts';
import { serverVariables } from './server-variables.ts';
import { createPasswords } from './service-passwords.ts';
import { deploymentVariables, pickVariables, stripeAccessFrom } from './service-variables.ts';

const edgeUrl = 'http://127.0.0.1:8080';
const url = (name: string) => `http://${name}.example`;

describe('the variables that a local deployment gives its services', () => {
  for (const row of serviceTable) {
    it(`are all that ${row.name} requires`, () => {
      const { properties, required = [] } = row.schema as ServiceRow['schema'] & {
        required?: string[];
      };
      const given = givenTo(row.name, {});
      // Listeners are given with the ports of each process.
      const own = ['TRIBUTARY_HOST', 'TRIBUTARY_PORT', 'TRIBUTARY_ADMIN_PORT'];
      const missing = required.filter((name) => !(name in given) && !own.includes(name));
      const withDefault = (name: string) => 'default' in (properties[name] as object);
      expect(missing.filter((name) => !withDefault(name))).to.deep.equal([]);
    });
  }

  it('let Stripe send to the edge, and are of the real Stripe, unless the caller says otherwise', () => {
    const plain = givenTo('processor-events', {});
    expect(plain).to.include({ TRIBUTARY_PUBLIC_URL: edgeUrl });
    expect(plain).to.not.have.property('TRIBUTARY_STRIPE_URL');
    const values = {
      TRIBUTARY_PUBLIC_URL: 'https://tunnel.example',
      TRIBUTARY_STRIPE_URL: 'http://127.0.0.1:12111',
    };
    expect(givenTo('processor-events', values)).to.include(values);
    // As docker compose hands on what is not set.
    const empty = { TRIBUTARY_PUBLIC_URL: '', TRIBUTARY_STRIPE_URL: '' };
    expect(givenTo('processor-events', empty)).to.deep.equal(plain);
    expect(givenTo('ingest-api', values)).to.not.have.any.keys(values);
  });

  it('give each service the keys of what it opens, and only the issuer one that makes tokens', () => {
    const keysOf = (name: string) =>
      Object.keys(givenTo(name, {})).filter((variable) => /KEY_RING|TOKEN_SIGN/.test(variable));
    const [products, webhooks, processors] = [
      'TRIBUTARY_PRODUCT_SECRET_KEY_RING',
      'TRIBUTARY_WEBHOOK_PASSWORD_KEY_RING',
      'TRIBUTARY_PROCESSOR_KEY_RING',
    ];
    const given = Object.fromEntries(serviceTable.map(({ name }) => [name, keysOf(name)]));
    expect(given).to.deep.equal({
      'ingest-api': ['TRIBUTARY_TOKEN_SIGNING_KEY'],
      'legacy-events': [],
      'processor-events': [processors],
      attribution: [],
      rewards: [],
      'webhook-dispatcher': [webhooks],
      widget: [products],
      portal: [products, webhooks, processors, 'TRIBUTARY_SECOND_FACTOR_KEY_RING'],
      replay: [],
    });
  });

  it('give what a deployment of an older release had sealed with to those who open', () => {
    const variables = deploymentVariables(deploymentOf({}, { secretKeyRing: 'k1:b' }));
    expect(variables).to.include({ TRIBUTARY_SECRET_KEY_RING: 'k1:b' });
  });
});

function givenTo(name: string, env: NodeJS.ProcessEnv): Record<string, string> {
  const row = serviceTable.find((service) => service.name === name)!;
  const own = serverVariables(row.name, { servers, passwords });
  return pickVariables({ ...valuesWith(env), ...own }, row.schema);
}

function valuesWith(env: NodeJS.ProcessEnv): Record<string, string> {
  return deploymentVariables(deploymentOf(env));
}

function deploymentOf(env: NodeJS.ProcessEnv, more: Partial<DeploymentSecrets> = {}) {
  return {
    internal: {
      attributionUrl: url('attribution'),
      rewardsUrl: url('rewards'),
      webhookDispatcherUrl: url('dispatcher'),
      replayUrl: url('replay'),
      processorEventsUrl: url('processor'),
    },
    receivers: { networks: '', ports: '' },
    stripe: stripeAccessFrom(env, edgeUrl),
    secrets: { ...secrets, ...more },
    places: { replayDir: '/replay' },
  };
}

const passwords = createPasswords();
const servers = { kafkaBrokers: 'kafka:9092', postgresUrl: url('pg'), redisUrl: url('redis') };

const secrets: DeploymentSecrets = {
  operatorToken: 'operator',
  internalToken: 'internal',
  tokenSigningKey: makeTokenSigningKey('token-1'),
  productSecretKeyRing: 'product-1:b',
  webhookPasswordKeyRing: 'webhook-1:b',
  processorKeyRing: 'processor-1:b',
  secondFactorKeyRing: 'second-1:b',
  accessKeyDigestKey: 'c',
  fingerprintKey: 'd',
  uccKey: 'e',
  postgresPassword: 'f',
  demoWebhookKey: 'g',
};
