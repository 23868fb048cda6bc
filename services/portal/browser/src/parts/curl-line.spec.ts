import { expect } from 'chai';
import { curlLine } from './curl-line.ts';

describe('the same by API', () => {
  it('is a line that names the token and holds none', () => {
    const asked = { path: { tenantId: 'a b' }, query: { state: 'review', cursor: undefined } };
    expect(curlLine('listRewards', asked, 'https://t.example')).to.equal(
      'curl -H "Authorization: Bearer $TRIBUTARY_API_TOKEN" ' +
        "'https://t.example/api/tenants/a%20b/rewards?state=review'",
    );
  });

  it('lets no text out of its quotes', () => {
    const asked = { path: { tenantId: 'a', rewardId: 'r' }, body: { note: "it's; rm -rf $HOME" } };
    expect(curlLine('releaseReward', asked, 'https://t.example')).to.equal(
      'curl -X POST -H "Authorization: Bearer $TRIBUTARY_API_TOKEN" ' +
        "-H 'Content-Type: application/json' " +
        String.raw`-d '{"note":"it'\''s; rm -rf $HOME"}' 'https://t.example/api/tenants/a/rewards/r/release'`,
    );
  });
});
