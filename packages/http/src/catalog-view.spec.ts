import { expect } from 'chai';
import {
  type AccessKeyRecord,
  type CampaignRevisionRecord,
  type CatalogRecord,
  type TenantRecord,
  catalogSchemaVersion,
} from '@tributary/contracts/catalog-record';
import { type CatalogView, createCatalogView } from './catalog-view.ts';

const common = {
  schemaVersion: catalogSchemaVersion,
  publishedAt: '2026-01-01T00:00:00.000Z',
} as const;

function tenant(tenantId: string, version: number, status: TenantRecord['status'] = 'active') {
  const record = { entity: 'tenant', name: `v${version}`, productId: 'p', status } as const;
  return { ...common, ...record, tenantId, version, defaultCampaignId: null };
}
function key(tenantId: string, version: number, status: AccessKeyRecord['status'] = 'active') {
  const record = {
    entity: 'access-key',
    accessKeyId: `ak-${tenantId}`,
    secretDigest: 'd',
  } as const;
  return { ...common, ...record, tenantId, version, status };
}
function revision(tenantId: string, campaignId: string, number: number): CampaignRevisionRecord {
  return {
    ...common,
    entity: 'campaign-revision',
    tenantId,
    version: 1,
    campaignId,
    revision: number,
    name: 'c',
    status: 'running',
    effectiveFrom: common.publishedAt,
    landingUrl: 'https://example.com/',
    creditScale: 0,
    rules: [],
  };
}

describe('catalog view', () => {
  it('gives what was applied, per tenant', () => {
    const view = createCatalogView();
    view.apply(tenant('t1', 1));
    view.apply(tenant('t2', 1));
    view.apply(key('t1', 1));
    expect(view.tenants().map(({ tenantId }) => tenantId)).to.deep.equal(['t1', 't2']);
    expect(view.tenant('t1')?.name).to.equal('v1');
    expect(view.accessKey('ak-t1')?.tenantId).to.equal('t1');
  });

  it('holds the sealed secrets that its process opens, and no others', () => {
    const records: CatalogRecord[] = [
      {
        ...{ ...common, entity: 'product-secret', tenantId: 't1', version: 1 },
        ...{ productId: 'p', sealedSecret: 'sealed' },
      },
      {
        ...{ ...common, entity: 'processor-connection', tenantId: 't1', version: 1 },
        ...{ connectionId: 'c1', processor: 'stripe', apiVersion: '2026-08-26.dahlia' },
        ...{ livemode: false, taxPolicy: 'gross', connectedAt: common.publishedAt },
        ...{ sealedApiKey: 'sealed', endpoint: null, status: 'active' },
      },
    ];
    const held = (view: CatalogView) => {
      for (const record of records) view.apply(record);
      return [view.productSecret('t1')?.entity, view.processorConnection('c1')?.entity];
    };
    const [secret, connection] = ['product-secret', 'processor-connection'] as const;
    expect(held(createCatalogView())).to.deep.equal([undefined, undefined]);
    expect(held(createCatalogView({ holds: [secret] }))).to.deep.equal([secret, undefined]);
    expect(held(createCatalogView({ holds: [connection] }))).to.deep.equal([undefined, connection]);
  });

  it('ignores a version not above the one it has: no stale record revives a revoked key', () => {
    const view = createCatalogView();
    view.apply(tenant('t1', 1));
    view.apply(key('t1', 2, 'revoked'));
    view.apply(key('t1', 1, 'active'));
    view.apply(key('t1', 2, 'active'));
    expect(view.accessKey('ak-t1')?.status).to.equal('revoked');
    expect(view.isActive('t1', 'ak-t1')).to.equal(false);
  });

  it('counts versions per entity of each tenant', () => {
    const view = createCatalogView();
    view.apply(tenant('t1', 7));
    view.apply(tenant('t2', 1));
    view.apply(key('t1', 1));
    expect(view.tenant('t2')).to.include({ version: 1 });
    expect(view.accessKey('ak-t1')).to.include({ version: 1 });
  });

  it('calls a key active only for its own tenant, also while that is suspended', () => {
    const view = createCatalogView();
    for (const id of ['t1', 't2']) view.apply(tenant(id, 1));
    view.apply(key('t1', 1));
    expect(view.isActive('t1', 'ak-t1')).to.equal(true);
    expect(view.isActive('t2', 'ak-t1')).to.equal(false);
    expect(view.isActive('t1', 'unknown')).to.equal(false);
    view.apply(tenant('t1', 2, 'suspended'));
    expect(view.isActive('t1', 'ak-t1')).to.equal(true);
  });

  it('gives the revisions of one campaign by number, whatever order they came in', () => {
    const view = createCatalogView();
    for (const number of [2, 1, 10, 3, 2]) view.apply(revision('t1', 'c1', number));
    view.apply(revision('t1', 'c2', 1));
    view.apply(revision('t2', 'c1', 4));
    const numbers = view.campaignRevisions('t1', 'c1').map((one) => one.revision);
    expect(numbers).to.deep.equal([1, 2, 3, 10]);
    expect(view.campaignRevisions('t1', 'c9')).to.deep.equal([]);
  });

  it('gives the revision in force at a time, which need not be the newest', () => {
    const view = createCatalogView();
    const march = '2026-03-01T00:00:00.000Z';
    view.apply({ ...revision('t1', 'c1', 1), effectiveFrom: '0000-01-01T00:00:00.000Z' });
    view.apply({ ...revision('t1', 'c1', 2), effectiveFrom: march, status: 'stopped' });
    view.apply({ ...revision('t1', 'c1', 3), effectiveFrom: 'never' });
    const at = (time: string, campaignId = 'c1') =>
      view.campaignInForce('t1', campaignId, new Date(time));
    expect(at('2026-02-28T23:59:59.999Z')).to.include({ revision: 1, status: 'running' });
    expect(at(march)).to.include({ revision: 2, status: 'stopped' });
    expect(at(march, 'c2')).to.equal(undefined);
    expect(view.campaignInForce('t2', 'c1', new Date(march))).to.equal(undefined);
  });
});
