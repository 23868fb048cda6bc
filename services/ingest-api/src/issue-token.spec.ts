import { type AccessKeyRecord, catalogSchemaVersion } from '@tributary/contracts/catalog-record';
import { expect } from 'chai';
import { createIssueToken } from './issue-token.ts';

type State = { status?: AccessKeyRecord['status']; tenantActive?: boolean };

/** One access key, `ak` with the secret `right`, and a list of all work done on a request. */
function setUp({ status = 'active', tenantActive = true }: State = {}) {
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
      return id === 'ak' ? record : undefined;
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
    sign: ({ tenantId, accessKeyId }) => {
      work.push('sign');
      return { accessToken: `${tenantId}/${accessKeyId}`, expiresIn: 1 };
    },
  });
  return (accessKeyId: string, secretAccessKey: string) => {
    work = [];
    return { token: issue({ accessKeyId, secretAccessKey }), work };
  };
}

describe('issuing a token (4.3)', () => {
  it('gives a token of the tenant of the key for the right pair', () => {
    const { token, work } = setUp()('ak', 'right');
    expect(token).to.deep.equal({ accessToken: 't1/ak', expiresIn: 1 });
    expect(work).to.deep.equal(['find', 'digest', 'compare', 'active?', 'sign']);
  });

  const refusals: Record<string, { state?: State; pair: [string, string] }> = {
    'an unknown id': { pair: ['unknown', 'right'] },
    'a wrong secret': { pair: ['ak', 'wrong'] },
    'an empty secret': { pair: ['ak', ''] },
    'an unknown id with the secret that nobody has': {
      pair: ['unknown', 'no secret access key has this digest'],
    },
    'a revoked key': { state: { status: 'revoked' }, pair: ['ak', 'right'] },
    'a key of a disabled tenant': { state: { tenantActive: false }, pair: ['ak', 'right'] },
    'a revoked key with a wrong secret': { state: { status: 'revoked' }, pair: ['ak', 'wrong'] },
  };
  for (const [what, { state, pair }] of Object.entries(refusals)) {
    it(`refuses ${what}, with the work of every other refusal`, () => {
      const { token, work } = setUp(state)(...pair);
      expect(token).to.equal(undefined);
      expect(work).to.deep.equal(['find', 'digest', 'compare', 'active?']);
    });
  }
});
