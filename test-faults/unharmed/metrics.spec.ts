import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { samplesOf, typesOf } from '@tributary/http/testing/samples';
import { expect } from 'chai';
import { serviceTable } from '../../deploy/local/service-table.ts';
import { documentedMetrics } from '../../deploy/observability/documented-metrics.ts';
import { call, purchase, tokenFor } from '../../test-e2e/calls.ts';
import { sharedStack } from '../../test-e2e/shared-stack.ts';

const runbook = new URL('../../docs/runbooks/dependency-down.md', import.meta.url);

/** Others are defined by prom-client for each process of Node. */
const isOwn = (name: string) => !/^(nodejs|process)_/.test(name);

describe('the metrics of the services', function () {
  this.timeout(300_000);
  const documented = documentedMetrics();
  const texts: string[] = [];

  before(async () => {
    const { services, edgeMetrics, demo } = await sharedStack();
    const [tenant] = demo.tenants;
    const token = await tokenFor(demo, tenant!);
    const body = purchase(tenant!, randomUUID());
    const url = `${demo.baseUrl}/v2/events/purchase-created`;
    expect((await call(url, { method: 'POST', token, body })).status).to.equal(202);
    const replicas = serviceTable.flatMap(({ name }) => services[name].replicas.slice(0, 1));
    for (const replica of [...replicas, edgeMetrics]) {
      const answer = await fetch(`http://127.0.0.1:${replica.adminPort}/metrics`);
      texts.push(await answer.text());
    }
  });

  const types = () => new Map(texts.flatMap((text) => [...typesOf(text)]));

  it('are those of docs/metrics.md, no more and no fewer', () => {
    const names = [...types().keys()].filter(isOwn);
    expect(names.sort()).to.deep.equal([...documented.keys()].sort());
  });

  it('have the types that the page names, and names by the conventions of Prometheus', () => {
    for (const [name, type] of types()) {
      if (!isOwn(name)) continue;
      expect(type, name).to.equal(documented.get(name)?.type);
      expect(name.endsWith('_total'), name).to.equal(type === 'counter');
      if (type === 'histogram') expect(name).to.match(/_seconds$/);
    }
  });

  it('have the labels that the page names, and those of every line', () => {
    for (const { name, labels } of texts.flatMap((text) => samplesOf(text))) {
      if (!isOwn(name)) continue;
      const row = documented.get(name) ?? documented.get(name.replace(/_(bucket|sum|count)$/, ''));
      const known = ['service', 'generation', 'le', ...(row?.labels ?? [])];
      expect(known, name).to.include.members(Object.keys(labels));
      expect(Object.keys(labels), name).to.include('service');
      if (row?.type === 'histogram') continue;
      expect(Object.keys(labels), name).to.include.members(row?.labels ?? []);
    }
  });

  it('say in their help that they are for max where the page does so of a shared table', () => {
    const helps = texts.flatMap((text) => [...text.matchAll(/^# HELP (\S+) (.*)$/gm)]);
    for (const [, name, help] of helps) {
      if (/use max/i.test(help!)) expect(documented.get(name!)?.over, name).to.equal('max');
    }
    expect(helps.map(([, name]) => name)).to.include('tributary_consumer_lag');
  });

  it('time requests by the names of routes, whose ids are left out', () => {
    const timed = texts.flatMap((text) =>
      samplesOf(text, 'tributary_http_request_duration_seconds_count'),
    );
    const routes = timed.map(({ labels }) => `${labels['service']} ${labels['route']}`);
    expect(routes).to.include('ingest-api event');
    expect(routes).to.include('ingest-api token');
    expect(routes.filter((route) => route.startsWith('portal PUT /api/tenants/{'))).not.to.be.empty;
    expect(new Set(timed.map(({ labels }) => labels['status_class']))).to.include('2xx');
  });

  it('name no dependency that its runbook does not explain', () => {
    const page = readFileSync(runbook, 'utf8');
    const checks = texts.flatMap((text) => samplesOf(text, 'tributary_dependency_up'));
    const names = new Set(checks.map(({ labels }) => labels['dependency']!));
    expect(names).to.include('kafka');
    expect([...names].filter((name) => !page.includes(`\`${name}\``))).to.deep.equal([]);
  });

  it('tell no tenant and no code', async () => {
    const { demo } = await sharedStack();
    const secrets = demo.tenants.flatMap(({ tenantId, referrer }) => [tenantId, referrer.ucc]);
    for (const secret of secrets) expect(texts.join('\n')).not.to.include(secret);
  });
});
