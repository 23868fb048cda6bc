import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { figures } from './figures.ts';
import { needsOf } from './model.ts';
import { renderScale } from './render.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('the capacity model', () => {
  it('is what docs/scale.md shows; else run: node bench/capacity/generate-scale.ts', () => {
    expect(read('../../docs/scale.md')).to.equal(renderScale(read('scale.template')));
  });

  it('grows in proportion to the load', () => {
    const [once, twice] = [1, 2].map((times) =>
      needsOf({ perSecond: 500 * times, facts: 1e6 * times }),
    );
    for (const [n, { what, value }] of twice!.entries()) {
      expect(value, what).to.be.closeTo(2 * once![n]!.value, value * 1e-9);
    }
  });

  it('has the figures that bench/README.md shows', () => {
    const shown = read('../README.md').replaceAll(/ +/g, ' ');
    const { attributionUs, rewardsUs, walBytes, rebuildPerSecond } = figures;
    expect(shown).to.contain(`CPU of attribution, µs ${attributionUs.value} `);
    expect(shown).to.contain(`CPU of rewards, µs ${rewardsUs.value} `);
    expect(shown).to.contain(`\n WAL ${walBytes.value}\n`);
    expect(shown).to.contain(`rebuild into tables 21000 6.8 ${rebuildPerSecond.value}\n`);
    const gathered = Number(/gathered keyed ([0-9]+) /.exec(shown)?.[1]);
    expect(figures.ingestUs.value).to.equal(Math.round(1e6 / gathered));
  });
});
