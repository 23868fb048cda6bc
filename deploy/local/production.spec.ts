import { type Environment, parseConfig } from '@tributary/runtime/config';
import { attackMade } from '@tributary/testkit/attacks';
import { expect } from 'chai';
import { createSecrets } from './deployment-secrets.ts';
import { serverVariables } from './server-variables.ts';
import { createPasswords } from './service-passwords.ts';
import { type ServiceRow, serviceTable } from './service-table.ts';
import { deploymentVariables, pickVariables } from './service-variables.ts';

// Each service in a production that is as it should be, and in every one that lacks one thing of
// it: generated from the schemas of the services' variables, so that a new secret or link is tried
// too.

type Property = { secret?: boolean; verify?: unknown };

const passwords = createPasswords();
const secrets = createSecrets();
const servers = {
  kafkaBrokers: 'kafka.internal:9093',
  postgresUrl: 'postgresql://postgres.internal:5432/tributary',
  redisUrl: 'rediss://redis.internal:6379',
  // Any file that can be read.
  caFile: import.meta.filename,
};
const host = (name: string) => `https://${name}.internal:8443`;
const values = {
  ...deploymentVariables({
    internal: {
      attributionUrl: `${host('attribution')},${host('attribution-2')}`,
      rewardsUrl: host('rewards'),
      webhookDispatcherUrl: host('webhook-dispatcher'),
      replayUrl: host('replay'),
      processorEventsUrl: host('processor-events'),
    },
    receivers: { networks: '', ports: '443' },
    stripe: { publicUrl: 'https://referrals.example.net' },
    secrets,
    places: { replayDir: '/var/lib/tributary' },
  }),
  SERVICE_ENV: 'prod',
  TRIBUTARY_INSECURE_COOKIES: 'false',
  TRIBUTARY_DOCS_TENANT: '',
  TRIBUTARY_PORT: '8443',
  TRIBUTARY_ADMIN_PORT: '8444',
};

/** What there is to lose, and the one variable that allows it, where there is any. */
const links: Record<string, { without: Environment; exception?: string }> = {
  'Kafka without TLS': {
    without: { TRIBUTARY_KAFKA_TLS: 'false', TRIBUTARY_KAFKA_TLS_CA_FILE: '' },
    exception: 'TRIBUTARY_KAFKA_ALLOW_INSECURE',
  },
  'Kafka without a user': {
    without: {
      TRIBUTARY_KAFKA_SASL_MECHANISM: '',
      TRIBUTARY_KAFKA_SASL_USERNAME: '',
      TRIBUTARY_KAFKA_SASL_PASSWORD: '',
    },
    exception: 'TRIBUTARY_KAFKA_ALLOW_INSECURE',
  },
  'Postgres without TLS': {
    without: { TRIBUTARY_POSTGRES_TLS: 'false', TRIBUTARY_POSTGRES_TLS_CA_FILE: '' },
    exception: 'TRIBUTARY_POSTGRES_ALLOW_INSECURE',
  },
  'Redis without TLS': {
    without: {
      TRIBUTARY_REDIS_URL: `redis://ingest:${passwords.redis['ingest-api']}@redis:6379`,
      TRIBUTARY_REDIS_TLS_CA_FILE: '',
    },
    exception: 'TRIBUTARY_REDIS_ALLOW_INSECURE',
  },
  'Redis without a password': {
    without: { TRIBUTARY_REDIS_URL: 'rediss://redis:6379' },
  },
  'another service over http': {
    without: { TRIBUTARY_REWARDS_ADMIN_URL: 'https://rewards:8443, http://rewards:8205' },
    exception: 'TRIBUTARY_INTERNAL_ALLOW_INSECURE',
  },
  'the edge over http': { without: { TRIBUTARY_PUBLIC_URL: 'http://referrals.example.net' } },
  'sessions over http': { without: { TRIBUTARY_INSECURE_COOKIES: 'true' } },
  'a tenant’s ids for everybody': { without: { TRIBUTARY_DOCS_TENANT: 'acme' } },
};

const zeros = Buffer.alloc(32).toString('base64');
const letters = Buffer.alloc(32, 'x').toString('base64');
/** For whichever form a secret has; one that is of the wrong form is refused for that. */
const guessable: Record<string, (right: string) => string> = {
  zeros: (right) => inItsForm(right, zeros),
  'one letter': (right) => inItsForm(right, letters),
  'a well-known word': (right) => inItsForm(right, 'op_change-me-change-me-change-me-'),
};

function inItsForm(right: string, secret: string): string {
  if (URL.canParse(right) && new URL(right).host !== '') {
    const url = new URL(right);
    url.password = secret.slice(0, 11);
    return url.href;
  }
  const [, keyId] = /^([\w-]+):/.exec(right) ?? [];
  return keyId === undefined ? secret : `${keyId}:${secret}`;
}

describe('production', () => {
  for (const row of serviceTable) {
    const right = rightFor(row);
    const properties = row.schema.properties as Record<string, Property>;
    const mistakesOf = (env: Environment) => {
      const result = parseConfig(row.schema, env);
      return 'mistakes' in result ? result.mistakes : [];
    };

    it(`takes ${row.name} with every link encrypted and every secret random`, () => {
      expect(mistakesOf(right)).to.deep.equal([]);
    });

    for (const [what, { without, exception }] of Object.entries(links)) {
      const own = pickVariables(without as Record<string, string>, row.schema);
      if (Object.keys(own).length === 0) continue;
      it(`refuses ${row.name} with ${what}${exception ? ', unless that is allowed by name' : ''}`, () => {
        const refused = mistakesOf({ ...right, ...own });
        expect(refused).to.have.length(1);
        expect(refused[0]).to.match(new RegExp(`^${exception ?? Object.keys(own)[0]}: `));
        attackMade('configuration', `${row.name}: ${what}`);
        if (exception === undefined) return;
        expect(mistakesOf({ ...right, ...own, [exception]: 'true' })).to.deep.equal([]);
        // It allows nothing else.
        const others = Object.keys(properties).filter(
          (name) => name.endsWith('_ALLOW_INSECURE') && name !== exception,
        );
        const allowed = Object.fromEntries(others.map((name) => [name, 'true']));
        expect(mistakesOf({ ...right, ...own, ...allowed })).to.deep.equal(refused);
      });
    }

    const secretNames = Object.keys(right).filter((name) => properties[name]?.secret);
    for (const name of secretNames) {
      for (const [what, weaken] of Object.entries(guessable)) {
        it(`refuses ${row.name} with ${what} in ${name}`, () => {
          const refused = mistakesOf({ ...right, [name]: weaken(right[name]!) });
          expect(refused).to.have.length(1);
          expect(refused[0]).to.match(new RegExp(`^${name}: `));
          attackMade('configuration', `${row.name}: ${what} in ${name}`);
        });
      }
    }
  }

  it('looks at every secret of every service that way', () => {
    for (const row of serviceTable) {
      const properties = row.schema.properties as Record<string, Property>;
      const known = Object.keys(rightFor(row));
      const untried = Object.keys(properties).filter(
        (name) => properties[name]!.secret && !known.includes(name),
      );
      // The ring of earlier releases, other databases of read models, and sentinels are not here;
      // those that somebody else issues are not ours to call weak.
      expect(
        untried.filter(
          (name) =>
            !/SECRET_KEY_RING|READ_MODEL_POSTGRES_URL|SENTINELS|OIDC_CLIENT_SECRET|SMTP_PASSWORD/.test(
              name,
            ),
        ),
        row.name,
      ).to.deep.equal([]);
    }
  });
});

function rightFor(row: ServiceRow & { name: (typeof serviceTable)[number]['name'] }) {
  const own = serverVariables(row.name, { servers, passwords });
  return pickVariables({ ...values, ...own }, row.schema);
}
