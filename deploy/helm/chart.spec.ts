import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kafkaPrincipals } from '@tributary/contracts/topic-rights';
import { type Environment, parseConfig } from '@tributary/runtime/config';
import { expect } from 'chai';
import { parse } from 'yaml';
import { EdgeMetricsConfig } from '../../services/edge-metrics/src/config.ts';
import { defaultPorts } from '../local/ports.ts';
import { createPasswords } from '../local/service-passwords.ts';
import { type ServiceRow, serviceTable } from '../local/service-table.ts';
import { RolesConfig } from '../roles/config.ts';
import { TopicsConfig } from '../topics/config.ts';
import { variablesOfTheChart } from './chart-variables.ts';
import { strimziUsers } from './kafka-users.ts';
import { type Container, environmentOf, type Pod, readManifests } from './manifests.ts';
import { snapshotFile, valuesFile, valuesNames } from './render-chart.ts';
import { chartDir } from './schema-text.ts';
import { createChartSecrets } from './secrets.ts';

// What Helm rendered is kept in snapshots/, which deploy/helm/main.ts compares with the templates.
// Here the snapshots are compared with the code, without Helm.

const services: readonly ServiceRow[] = serviceTable;
const values = parse(readFileSync(join(chartDir, 'values.yaml'), 'utf8')) as Values;
type Values = { services: Record<string, { settings?: Record<string, unknown> }> };

describe('the chart', () => {
  for (const name of valuesNames) {
    describe(`with the values ${name}`, () => {
      const manifests = readManifests(readFileSync(snapshotFile(name), 'utf8'));
      const podOf = (service: ServiceRow): Pod => {
        const name = `tributary-${service.name}`;
        const found = manifests.find((m) => m.kind === 'Deployment' && m.metadata.name === name);
        if (found?.spec?.template === undefined) throw new Error(`there is no Deployment ${name}`);
        return found.spec.template.spec;
      };
      const containerOf = (service: ServiceRow): Container => {
        const [container] = podOf(service).containers;
        if (container === undefined) throw new Error(`${service.name} has no container`);
        return container;
      };

      it('has a Deployment for every service, and for no other', () => {
        const deployed = manifests
          .filter(({ kind }) => kind === 'Deployment')
          .map(({ metadata }) => metadata.name)
          .filter((found) => found !== 'tributary-edge');
        expect(deployed).to.have.members(services.map((service) => `tributary-${service.name}`));
      });

      for (const service of services) {
        it(`gives ${service.name} the variables with which it starts`, () => {
          const container = containerOf(service);
          expect(container.command).to.deep.equal(['node', `services/${service.name}/src/main.ts`]);
          expect(mistakesOf(service.schema as ConfigSchema, environmentOf(container, secretValue)))
            .to.be.empty;
        });

        it(`leads to the ports of ${service.name}`, () => {
          const container = containerOf(service);
          const wanted = {
            ...(service.port && { http: defaultPorts[service.port] }),
            admin: defaultPorts[service.adminPort],
          };
          const ports = container.ports?.map((port) => [port.name, port.containerPort]);
          expect(Object.fromEntries(ports ?? [])).to.deep.equal(wanted);
        });
      }

      for (const service of services) {
        it(`gives ${service.name} the time to stop that it allows itself`, () => {
          const { terminationGracePeriodSeconds } = podOf(service);
          const { lifecycle, env } = containerOf(service);
          const preStopSeconds = lifecycle?.preStop.sleep.seconds ?? 0;
          expect(preStopSeconds).to.be.above(0);
          const given = environmentOf({ env }, secretValue);
          const ownSeconds = Math.ceil(stopTimeoutMsOf(service, given) / 1_000);
          expect(terminationGracePeriodSeconds).to.equal(preStopSeconds + ownSeconds + 5);
        });
      }

      it('gives the counter of the edge its variables, and the port to which nginx sends lines', () => {
        const edge = manifests.filter(({ metadata }) => metadata.name === 'tributary-edge');
        const pod = edge.find(({ kind }) => kind === 'Deployment')?.spec?.template?.spec;
        // The sandbox has no edge.
        if (pod === undefined) return expect(name).to.equal('sandbox');
        const [, counter] = pod.containers;
        const given = parseConfig(EdgeMetricsConfig, environmentOf(counter!, secretValue));
        if ('mistakes' in given) throw new Error(given.mistakes.join());
        const { TRIBUTARY_ADMIN_PORT: port, TRIBUTARY_EDGE_STATUS_URL: url } = given.config;
        expect(counter?.ports).to.deep.equal([{ name: 'admin', containerPort: port }]);
        const nginx = edge.find(({ kind }) => kind === 'ConfigMap')?.data?.['nginx.conf'];
        expect(nginx).to.include(`access_log syslog:server=127.0.0.1:${port},`);
        expect(nginx).to.include(`listen ${new URL(url).host};`);
      });

      it('sets no variable that its values would let a service set again', () => {
        for (const service of services) {
          const container = containerOf(service);
          const given = container.env.map((entry) => entry.name);
          expect(new Set(given).size, service.name).to.equal(given.length);
          const settings = new Set(settingNames(service));
          const own = Object.keys(values.services[service.name]?.settings ?? {});
          const rendered = parse(readFileSync(valuesFile(name), 'utf8')) as Partial<Values> & {
            settings?: object;
          };
          const asked = [
            ...own,
            ...Object.keys(rendered.services?.[service.name]?.settings ?? {}),
            ...Object.keys(rendered.settings ?? {}),
          ];
          expect(given.filter((variable) => settings.has(variable))).to.have.members(asked);
        }
      });

      it('lets no container become root, or write to its image', () => {
        const pods = manifests.flatMap(({ spec }) => (spec?.template ? [spec.template.spec] : []));
        expect(pods).to.not.have.length(0);
        for (const pod of pods) {
          expect(pod.securityContext).to.deep.include({
            runAsNonRoot: true,
            seccompProfile: { type: 'RuntimeDefault' },
          });
          expect(pod.securityContext?.runAsUser).to.be.within(1, 65_535);
          expect(pod).to.include({
            enableServiceLinks: false,
            automountServiceAccountToken: false,
          });
          for (const container of pod.containers) {
            expect(container.securityContext).to.deep.equal({
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            });
            expect(container.resources?.limits).to.have.property('memory');
          }
        }
      });
    });
  }

  it('lets a service reach the servers that it is told of, and no other', () => {
    const ports = { KAFKA_BROKERS: 29_092, POSTGRES_URL: 25_432, REDIS_URL: 26_379 };
    const manifests = readManifests(readFileSync(snapshotFile('sandbox'), 'utf8'));
    for (const { name, schema } of services) {
      const policy = manifests.find(
        ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === `tributary-${name}`,
      );
      const open = policy?.spec?.egress
        ?.flatMap((rule) => rule.ports ?? [])
        .map(({ port }) => port);
      for (const [variable, port] of Object.entries(ports)) {
        const isTold = `TRIBUTARY_${variable}` in schema.properties;
        expect(open?.includes(port), `${name}: ${variable}`).to.equal(isTold);
      }
    }
  });

  it('gives its jobs the variables that they want', () => {
    const containersOf = (job: string) => podOfJob(job).containers;
    const jobs = { topics: TopicsConfig, 'kafka-rights': TopicsConfig, 'store-roles': RolesConfig };
    for (const [job, schema] of Object.entries(jobs)) {
      const [container] = containersOf(`tributary-${job}`);
      if (container === undefined) throw new Error(`there is no job ${job}`);
      expect(mistakesOf(schema, environmentOf(container, secretValue)), job).to.be.empty;
    }
    const migrations = containersOf('tributary-migrations');
    const migrated = services.filter(({ schema }) => 'TRIBUTARY_POSTGRES_URL' in schema.properties);
    expect(migrations.map(({ name }) => name)).to.have.members(migrated.map(({ name }) => name));
    for (const container of migrations) {
      const schema = services.find(({ name }) => name === container.name)?.schema as ConfigSchema;
      expect(mistakesOf(schema, environmentOf(container, secretValue)), container.name).to.be.empty;
    }
  });

  it('gives jobs the passwords of everybody whom they make', () => {
    const pathsOf = (job: string) =>
      (podOfJob(job).volumes ?? [])
        .flatMap(({ projected }) => projected?.sources ?? [])
        .flatMap(({ secret }) => secret.items.map(({ path }) => path));
    const { postgres, redis } = createPasswords();
    const stores = Object.entries({ postgres, redis }).flatMap(([server, passwords]) =>
      Object.keys(passwords).map((name) => `${server}/${name}`),
    );
    const administrators = ['postgres/admin', 'redis/admin'];
    expect([...pathsOf('tributary-store-roles'), ...administrators]).to.have.members(stores);
    expect(pathsOf('tributary-kafka-rights')).to.have.members([...kafkaPrincipals]);
  });

  it('has the version of the product', () => {
    const { version } = JSON.parse(
      readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
    ) as { version: string };
    const chart = parse(readFileSync(join(chartDir, 'Chart.yaml'), 'utf8')) as object;
    expect(chart).to.include({ version, appVersion: version });
  });

  it('makes passwords for everybody at the brokers', () => {
    const kafka = createChartSecrets().find(({ metadata }) => metadata.name === 'tributary-kafka');
    expect(Object.keys(kafka?.stringData ?? {})).to.have.members([...kafkaPrincipals]);
  });

  it('has users of Strimzi with the permissions of the table', async () => {
    const file = join(import.meta.dirname, 'examples/strimzi-users.yaml');
    const wanted = await strimziUsers();
    expect(readFileSync(file, 'utf8'), 'run: node deploy/helm/write-examples.ts').to.equal(wanted);
  });
});

/** With whichever values it is rendered. */
function podOfJob(job: string): Pod {
  for (const name of valuesNames) {
    const manifests = readManifests(readFileSync(snapshotFile(name), 'utf8'));
    const found = manifests.find(({ kind, metadata }) => kind === 'Job' && metadata.name === job);
    if (found?.spec?.template !== undefined) return found.spec.template.spec;
  }
  throw new Error(`there is no job ${job}`);
}

type ConfigSchema = Parameters<typeof parseConfig>[0];

function mistakesOf(schema: ConfigSchema, env: Environment): string[] {
  const read = parseConfig(schema, env);
  return 'mistakes' in read ? read.mistakes : [];
}

/** As its main.ts says, with the variables that it gets. */
function stopTimeoutMsOf({ name, schema }: ServiceRow, env: Environment): number {
  const file = join(import.meta.dirname, `../../services/${name}/src/main.ts`);
  const stated = /stopTimeoutMs: (?:config\.(\w+) \+ )?([\d_]+)/.exec(readFileSync(file, 'utf8'));
  const [, variable, fixed = '20_000'] = stated ?? [];
  const property = schema.properties[variable ?? ''] as { default?: number } | undefined;
  const own = variable === undefined ? 0 : Number(env[variable] ?? property?.default);
  return own + Number(fixed.replaceAll('_', ''));
}

/** Names of variables that may be given under `settings`. */
function settingNames({ schema }: ServiceRow): string[] {
  return Object.entries(schema.properties)
    .filter(([, property]) => (property as { secret?: boolean }).secret !== true)
    .map(([name]) => name)
    .filter((name) => !variablesOfTheChart.includes(name));
}

const secrets = new Map(
  createChartSecrets().map(({ metadata, stringData }) => [metadata.name, stringData]),
);

/** From the Secrets that the chart's own program makes; others hold whatever is in them. */
function secretValue(secret: string, key: string): string | undefined {
  const own = secrets.get(secret);
  if (own !== undefined) return own[key];
  const others: Record<string, string> = {
    TRIBUTARY_POSTGRES_URL: 'postgresql://admin:0f3a9c7b51@postgres:5432/tributary',
    TRIBUTARY_REDIS_URL: 'rediss://admin:0f3a9c7b51@redis:6379',
    TRIBUTARY_KAFKA_SASL_MECHANISM: 'plain',
    TRIBUTARY_KAFKA_SASL_USERNAME: 'admin',
    TRIBUTARY_KAFKA_SASL_PASSWORD: '0f3a9c7b51e8d246',
    password: 'kM3xQ9vT2bL7wR5yN8cH4jF6',
  };
  return others[key];
}
