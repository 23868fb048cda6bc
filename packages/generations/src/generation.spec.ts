import { expect } from 'chai';
import { groupOfGeneration, isOfLaterGeneration, schemaOfGeneration } from './generation.ts';

describe('names of a generation', () => {
  it('are those of the first one with its number', () => {
    expect(schemaOfGeneration('attribution_g1', 1)).to.equal('attribution_g1');
    expect(schemaOfGeneration('attribution_g1', 12)).to.equal('attribution_g12');
    expect(schemaOfGeneration('portal_read', 1)).to.equal('portal_read');
    expect(schemaOfGeneration('portal_read', 2)).to.equal('portal_read_g2');
    expect(groupOfGeneration('rewards', 1)).to.equal('rewards');
    expect(groupOfGeneration('rewards', 3)).to.equal('rewards-g3');
  });

  it('tell whether it is a later one', () => {
    const names = ['attribution_g1', 'attribution', 'widget_r2', 'attribution_g2', 'widget_r2_g12'];
    expect(names.filter(isOfLaterGeneration)).to.deep.equal(['attribution_g2', 'widget_r2_g12']);
  });
});
