import { type AccessKeyRecord, catalogSchemaVersion } from '@tributary/contracts/catalog-record';
import { expect } from 'chai';
import { createIssueToken } from './issue-token.ts';

type State = {
  status?: AccessKeyRecord['status'];
  tenantActive?: boolean;
  /** The record is on the log, but not read yet. */
  isNew?: boolean;
};

/** One access key, `ak` with the secret `right`, and a list of all work done on a request. */
function setUp({ status = 'active', tenantActive = true, isNew = false }: State = {}) {
  let isRead = !isNew;
  let work: string[] = [];
  const digestOf = (secret: string) => `digest of ${secret}`;
  const record: AccessKeyRecord = {
    schemaVersion: catalogSchemaVersion,
    entity: 'access-key',
    tenantId: 't1',
    version: 1,
    publishedAt: '2026-01-01T00:00:00.000Z',
    accessKeyId: 'ak',
    secretDigest: digestOf('right'),
    status,
  };
  const issue = createIssueToken({
    accessKey: (id) => {
      work.push('find');
      return id === 'ak' && isRead ? record : undefined;
    },
    digestOf: (secret) => {
      work.push('digest');
      return digestOf(secret);
    },
    equalInConstantTime: (a, b) => {
      work.push('compare');
      return a === b;
    },
    isActive: (tenantId, id) => {
      work.push('active?');
      return tenantId === 't1' && id === 'ak' && status === 'active' && tenantActive;
    },
    becomeCurrent: () => {
      work.push('read on');
      isRead = true;
      return Promise.resolve();
    },
    sign: ({ tenantId, accessKeyId }) => {
      work.push('sign');
      return { accessToken: `${tenantId}/${accessKeyId}`, expiresIn: 1 };
    },
  });
  return async (accessKeyId: string, secretAccessKey: string) => {
    work = [];
    return { token: await issue({ accessKeyId, secretAccessKey }), work };
  };
}

describe('issuing a token (4.3)', () => {
  it('gives a token of the tenant of the key for the right pair', async () => {
    const { token, work } = await setUp()('ak', 'right');
    expect(token).to.deep.equal({ accessToken: 't1/ak', expiresIn: 1 });
    expect(work).to.deep.equal(['find', 'digest', 'compare', 'active?', 'sign']);
  });

  it('gives one for a key that is on the log and was not read yet', async () => {
    const { token } = await setUp({ isNew: true })('ak', 'right');
    expect(token).to.deep.equal({ accessToken: 't1/ak', expiresIn: 1 });
  });

  const refusals: Record<string, { state?: State; pair: [string, string] }> = {
    'an unknown id': { pair: ['unknown', 'right'] },
    'a wrong secret': { pair: ['ak', 'wrong'] },
    'an empty secret': { pair: ['ak', ''] },
    'an unknown id with the secret that nobody has': {
      pair: ['unknown', 'no secret access key has this digest'],
    },
    'a revoked key': { state: { status: 'revoked' }, pair: ['ak', 'right'] },
    'a key of a suspended tenant': { state: { tenantActive: false }, pair: ['ak', 'right'] },
    'a revoked key with a wrong secret': { state: { status: 'revoked' }, pair: ['ak', 'wrong'] },
  };
  for (const [what, { state, pair }] of Object.entries(refusals)) {
    it(`refuses ${what}, with the work of every other refusal`, async () => {
      const { token, work } = await setUp(state)(...pair);
      expect(token).to.equal(undefined);
      const steps = ['find', 'digest', 'compare', 'active?'];
      expect(work).to.deep.equal([...steps, 'read on', ...steps]);
    });
  }
});
