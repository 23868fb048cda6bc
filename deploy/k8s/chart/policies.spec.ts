import { expect } from 'chai';
import { mistakesOf, type Target } from './policies.ts';

const admin: Target = { of: 'attribution', name: 'admin', host: '10.0.0.1', port: 8_204, pod: 'a' };
const postgres: Target = { of: 'postgres', name: 'server', host: '10.0.0.2', port: 5_432 };

const edge: Target = { of: 'edge', name: 'http', host: '10.0.0.3', port: 8_080 };

describe('what NetworkPolicies let through', () => {
  it('is wrong where a service reaches a listener that it does not ask', () => {
    const asksIt = { from: 'portal', to: admin, isOpen: true };
    const others = ['stranger', 'rewards'].map((from) => ({ from, to: admin, isOpen: true }));
    expect(mistakesOf([asksIt, ...others])).deep.equal([
      'stranger reaches attribution (admin, port 8204)',
      'rewards reaches attribution (admin, port 8204)',
    ]);
  });

  it('is that anybody reaches the edge, and nobody what tells of it', () => {
    const counter = { ...edge, name: 'admin', port: 8_210 } as const;
    const reaches = [edge, counter].map((to) => ({ from: 'stranger', to, isOpen: true }));
    expect(mistakesOf(reaches)).deep.equal(['stranger reaches edge (admin, port 8210)']);
    const fromEdge = [admin, postgres].map((to) => ({ from: 'edge', to, isOpen: true }));
    expect(mistakesOf(fromEdge)).to.have.length(2);
  });

  it('is that KEDA reads metrics, and calls no service', () => {
    const http = { ...admin, name: 'http', port: 8_080 } as const;
    const reaches = [admin, http].map((to) => ({ from: 'machine', to, isOpen: true }));
    expect(mistakesOf(reaches)).deep.equal(['machine reaches attribution (http, port 8080)']);
    expect(mistakesOf([{ from: 'machine', to: admin, isOpen: false }])).to.have.length(1);
  });

  it('is wrong where a service does not reach what it needs, or the node a listener', () => {
    const closed = [
      { from: 'portal', to: admin, isOpen: false },
      { from: 'rewards', to: postgres, isOpen: false },
      { from: 'node', to: admin, isOpen: false },
      { from: 'legacy-events', to: postgres, isOpen: false },
    ];
    expect(mistakesOf(closed)).deep.equal([
      'portal does not reach attribution (admin, port 8204)',
      'rewards does not reach postgres (server, port 5432)',
      'node does not reach attribution (admin, port 8204)',
    ]);
  });
});
