import { adminRoutes, routeNames } from '@tributary/contracts/admin/admin-areas';
import { expect } from 'chai';
import { audited } from './audited.ts';

describe('reads that the audit log notes', () => {
  it('are those that their declarations name', () => {
    const declared = adminRoutes
      .filter(({ method, audited: isAudited }) => method === 'GET' && isAudited)
      .map((route) => routeNames.get(route));
    expect([...audited]).to.have.members(declared);
  });
});
