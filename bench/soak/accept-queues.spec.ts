import { expect } from 'chai';
import { acceptOverflowsIn } from './accept-queues.ts';

describe('the overflows of accept queues', () => {
  it('are read by their name, as kernels differ in what they count', () => {
    const netstat =
      'TcpExt: SyncookiesSent ListenOverflows ListenDrops\nTcpExt: 1 234 5\n' +
      'IpExt: InNoRoutes ListenOverflows\nIpExt: 0 9\n';
    expect(acceptOverflowsIn(netstat)).to.equal(234);
    expect(() => acceptOverflowsIn('IpExt: A\nIpExt: 1\n')).to.throw('does not count');
  });
});
