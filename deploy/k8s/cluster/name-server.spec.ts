import { expect } from 'chai';
import { hostsOf } from './name-server.ts';

describe('names of Services', () => {
  const service = (name: string, spec: { clusterIP?: string }) => ({
    metadata: { name, namespace: 'tributary' },
    spec,
  });

  it('lead to their addresses; without an address there is no name', () => {
    const services = [
      service('tributary-edge', { clusterIP: '10.96.0.7' }),
      service('headless', { clusterIP: 'None' }),
      service('elsewhere', {}),
    ];
    expect(hostsOf(services)).to.equal('10.96.0.7 tributary-edge.tributary.svc.cluster.local\n');
  });
});
