import { expect } from 'chai';
import { parseConfig } from '@tributary/runtime/config';
import { serviceTable } from '../local/service-table.ts';
import { RolesConfig } from './config.ts';
import { ownershipOf, scramVerifier } from './postgres-statements.ts';
import { printStatements } from './print-statements.ts';
import { postgresTable, redisTable } from './roles-table.ts';

describe('the roles of services in Postgres and Redis', () => {
  it('have a row for each service that is told where a store is', () => {
    const told = (variable: string) =>
      serviceTable.filter(({ schema }) => variable in schema.properties).map(({ name }) => name);
    const rows = [...told('TRIBUTARY_POSTGRES_URL'), 'portal-read-model'];
    expect(Object.keys(postgresTable)).to.have.members(rows);
    expect(Object.keys(redisTable)).to.have.members(told('TRIBUTARY_REDIS_URL'));
  });

  it('own no schema together, of whichever generation', () => {
    const { patterns } = ownershipOf('tributary');
    const schemas = Object.values(postgresTable).flatMap(({ owns }) => owns);
    const later = ['attribution_g2', 'rewards_g12', 'widget_r2_g3', 'portal_read_r2_g2'];
    for (const schema of [...schemas, ...later]) {
      expect(patterns.filter((pattern) => new RegExp(pattern).test(schema))).to.have.length(1);
    }
    for (const schema of ['public', 'portal_g2', 'rewards', 'attribution_gx']) {
      const found = patterns.filter((pattern) => new RegExp(pattern).test(schema));
      expect(found.length, schema).to.equal(schema === 'rewards' ? 1 : 0);
    }
  });

  it('are printed for an administrator without any password', () => {
    const text = printStatements('acme', 'tributary');
    expect(text)
      .to.include('create role "acme_rewards"')
      .and.include('ACL SETUSER acme_ingest_api');
    expect(text).to.include("password '<password of rewards>'");
    expect(text).to.not.match(/SCRAM|#[0-9a-f]{64}/);
  });

  it('are known to the server by a digest of their passwords', () => {
    const [first, second] = [scramVerifier('secret'), scramVerifier('secret')];
    expect(first).to.match(/^SCRAM-SHA-256\$4096:[\w+/=]+\$[\w+/=]{44}:[\w+/=]{44}$/);
    expect(first).to.not.equal(second);
  });

  it('are made with the addresses of administrators and a file for the passwords', () => {
    const env = {
      TRIBUTARY_POSTGRES_URL: 'postgresql://postgres:x@localhost/tributary',
      TRIBUTARY_PASSWORDS_FILE: '/etc/tributary/passwords.json',
    };
    const parsed = parseConfig(RolesConfig, env);
    expect(parsed).to.have.nested.property('config.TRIBUTARY_ROLE_PREFIX', 'tributary');
    expect(parseConfig(RolesConfig, {})).to.have.property('mistakes').with.length(2);
  });
});
