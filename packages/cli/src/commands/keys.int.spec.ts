import { expect } from 'chai';
import { type AdminApi, startAdminApi } from '../testing/admin-api.ts';

describe('tributary keys', () => {
  let api: AdminApi;
  before(async () => {
    api = await startAdminApi();
  });
  after(() => api.stop());
  beforeEach(() => void (api.requests.length = 0));

  it('list shows each ring with what its keys have sealed', async () => {
    const rings = [
      {
        purpose: 'webhook-passwords',
        keys: [
          { keyId: 'webhook-2', state: 'newest', secrets: 3 },
          { keyId: 'webhook-1', state: 'older', secrets: 0 },
        ],
      },
    ];
    api.replyWith({ rings, tokenKeys: ['token-2', 'token-1'] });
    const { code, out } = await api.run(['keys', 'list']);
    expect(code).to.equal(0);
    expect(out).to.match(/^webhook-passwords +webhook-2 +newest +3$/m);
    expect(out).to.match(/^webhook-passwords +webhook-1 +older +0$/m);
    expect(out).to.contain('token-2, token-1');
  });

  it('reseal goes on until nothing is left', async () => {
    const answers = [
      { resealed: 200, remaining: 7 },
      { resealed: 7, remaining: 0 },
    ];
    api.replyWith(() => ({ status: 200, body: answers.shift()! }));
    const { code, out, err } = await api.run(['keys', 'reseal']);
    expect([code, err]).to.deep.equal([0, api.named]);
    expect(out).to.equal('Sealed anew: 207. Older keys have sealed nothing any more.\n');
    expect(api.requests).to.deep.equal(Array(2).fill('POST /api/keys/reseal {}'));
  });

  it('reseal fails when something is left, or not on the log: no key may be removed then', async () => {
    api.replyWith({ resealed: 0, remaining: 1 });
    const left = await api.run(['keys', 'reseal']);
    expect(left.code).to.equal(1);
    expect(left.out).to.contain('Left: 1').and.contain('run it again');
    api.replyWith({ resealed: 2, remaining: 0, published: false });
    const unpublished = await api.run(['keys', 'reseal']);
    expect(unpublished.code).to.equal(1);
    expect(unpublished.out).to.contain('Not all of it is on the log yet');
  });
});
