import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { everyTestAttacks } from '@tributary/testkit/attacks';
import { expect } from 'chai';
import { parse } from 'yaml';
import { serviceTable } from '../local/service-table.ts';

// What docker-compose.yml lets each container do and reach. The list of networks is kept here a
// second time on purpose: whoever gives a container another network says so in two places.

type Container = {
  image: string;
  user?: string;
  read_only?: boolean;
  tmpfs?: string[];
  cap_add?: string[];
  cap_drop?: string[];
  security_opt?: string[];
  mem_limit?: string;
  pids_limit?: number;
  privileged?: boolean;
  network_mode?: string;
  networks?: string[];
  volumes?: string[];
  ports?: string[];
};
const repository = join(import.meta.dirname, '../..');
const file = parse(readFileSync(join(repository, 'docker-compose.yml'), 'utf8'), {
  merge: true,
}) as {
  services: Record<string, Container>;
  networks: Record<string, { internal?: boolean } | null>;
};
const containers = Object.entries(file.services);

const reaches: Record<string, string[]> = {
  prepare: [],
  roles: ['postgres'],
  rights: ['kafka'],
  topics: ['kafka'],
  kafka: ['kafka', 'kafka-host'],
  redis: ['redis', 'redis-host'],
  postgres: ['postgres', 'postgres-host'],
  edge: ['edge', 'outside'],
  'edge-metrics': ['edge', 'outside'],
  'ingest-api': ['edge', 'kafka', 'postgres', 'redis'],
  'legacy-events': ['edge', 'kafka'],
  'processor-events': ['edge', 'inside', 'kafka', 'outside', 'postgres'],
  portal: ['edge', 'inside', 'kafka', 'outside', 'postgres'],
  attribution: ['inside', 'kafka', 'postgres'],
  rewards: ['inside', 'kafka', 'postgres'],
  'webhook-dispatcher': ['inside', 'kafka', 'outside', 'postgres'],
  replay: ['inside', 'kafka', 'postgres'],
  widget: ['edge', 'kafka', 'postgres'],
  'demo-receiver': ['outside'],
  demo: ['outside'],
  'demo-shop': ['outside'],
};

describe('the containers of docker-compose.yml', () => {
  everyTestAttacks('containers');
  it('are all that are listed here, every service among them', () => {
    expect(containers.map(([name]) => name)).to.have.members(Object.keys(reaches));
    expect(Object.keys(reaches)).to.include.members(serviceTable.map(({ name }) => name));
  });

  for (const [name, container] of containers) {
    it(`cannot become root, write to the image or take the machine's memory: ${name}`, () => {
      expect(container.privileged ?? false).to.equal(false);
      expect(container.read_only).to.equal(true);
      expect(container.tmpfs?.[0]).to.match(/^\/tmp(:exec)?$/);
      expect(container.cap_drop).to.deep.equal(['ALL']);
      expect(container.cap_add ?? []).to.deep.equal([]);
      expect(container.security_opt).to.deep.equal(['no-new-privileges:true']);
      expect(container.mem_limit).to.match(/^\d+[mg]$/);
      expect(container.pids_limit).to.be.within(1, 512);
      // Images of ours and Kafka's have a user of their own; the others begin as root.
      if (!/^(tributary|apache\/kafka):/.test(container.image)) {
        expect(container.user).to.match(/^(postgres|redis|nginx)$/);
      }
    });

    it(`reaches by network what it needs: ${name}`, () => {
      const [, other] = /^service:(.+)$/.exec(container.network_mode ?? '') ?? [];
      const ofOther = other === undefined ? undefined : file.services[other];
      const { networks, network_mode: mode } = ofOther ?? container;
      const found = mode === 'none' ? [] : (networks ?? ['default']);
      expect([...found].sort()).to.deep.equal(reaches[name]);
    });

    it(`publishes on loopback only: ${name}`, () => {
      for (const port of container.ports ?? []) expect(port).to.match(/^127\.0\.0\.1:/);
    });
  }

  it('have no way out, but those that serve or call somebody outside', () => {
    const open = Object.entries(file.networks).filter(([, network]) => network?.internal !== true);
    expect(open.map(([name]) => name)).to.have.members([
      ...['outside', 'kafka-host', 'postgres-host', 'redis-host'],
    ]);
    const callers = containers.filter(([, { networks = [] }]) => networks.includes('outside'));
    expect(callers.map(([name]) => name)).to.have.members([
      ...['edge', 'webhook-dispatcher', 'processor-events', 'portal'],
      ...['demo-receiver', 'demo', 'demo-shop'],
    ]);
  });

  it('see no variables but their own', () => {
    for (const { name } of serviceTable) {
      const volumes = (file.services[name]?.volumes ?? []).filter((volume) =>
        /^(variables-|deployment)/.test(volume),
      );
      expect(volumes).to.deep.equal([`variables-${name}:/variables/${name}:ro`]);
    }
  });

  it('have no tests in their image', () => {
    const ignored = readFileSync(join(repository, '.dockerignore'), 'utf8').split('\n');
    expect(ignored).to.include.members(['**/*.spec.ts', '**/testing', 'test-e2e', 'test-faults']);
  });
});
