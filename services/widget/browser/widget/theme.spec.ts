import { expect } from 'chai';
import fc from 'fast-check';
import { contrast, mix, readable } from './contrast.ts';
import { mergeThemes, schemeOf, themeCss } from './theme.ts';

const colour = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`);
const palette = fc.record(
  { accent: colour, onAccent: colour, surface: colour, onSurface: colour },
  { requiredKeys: [] },
);

/** The custom properties of a rule for one scheme. */
function propertiesOf(css: string): Map<string, string> {
  return new Map(
    [...css.matchAll(/([\w-]+):([^;{}]+?) !important;/g)].map(([, name, value]) => [name!, value!]),
  );
}

describe('contrast', () => {
  it('is as WCAG measures it', () => {
    expect(contrast('#000000', '#ffffff')).to.be.closeTo(21, 1e-9);
    expect(contrast('#777777', '#ffffff')).to.be.closeTo(4.478, 0.001);
    expect(contrast('#ffffff', '#777777')).to.equal(contrast('#777777', '#ffffff'));
  });

  it('mixes channel by channel', () => {
    expect(mix('#ffffff', '#000000', 0.5)).to.equal('#808080');
    expect(mix('#102030', '#ffffff', 0)).to.equal('#102030');
  });

  it('finds an ink that can be read on any ground', () => {
    fc.assert(
      fc.property(colour, colour, (ink, ground) => contrast(readable(ink, ground), ground) >= 4.5),
    );
  });
});

describe('a theme', () => {
  it('gives texts that can be read, whatever colours a tenant chose', () => {
    fc.assert(
      fc.property(palette, palette, fc.constantFrom('light', 'dark'), (light, dark, scheme) => {
        const given = propertiesOf(themeCss({ light, dark }, scheme));
        const on = (ink: string, ground: string) => contrast(given.get(ink)!, given.get(ground)!);
        expect(on('--tb-on-accent', '--tb-accent')).to.be.at.least(4.5);
        for (const ink of ['on-surface', 'link', 'muted', 'positive', 'danger']) {
          expect(on(`--tb-${ink}`, '--tb-surface'), ink).to.be.at.least(4.5);
        }
        expect(on('--tb-outline', '--tb-surface')).to.be.at.least(3);
      }),
    );
  });

  it('keeps the colours that were chosen where they can be read', () => {
    const light = { accent: '#116633', onAccent: '#ffffee', surface: '#fffff0' };
    const given = propertiesOf(themeCss({ light, cornerRadius: 3 }, 'light'));
    expect(given.get('--tb-accent')).to.equal('#116633');
    expect(given.get('--tb-on-accent')).to.equal('#ffffee');
    expect(given.get('--tb-surface')).to.equal('#fffff0');
    expect(given.get('--tb-link')).to.equal('#116633');
    expect(given.get('--tb-radius')).to.equal('3px');
  });

  it('has the brand in the dark scheme too, unless that has its own', () => {
    const light = { accent: '#116633' };
    const dark = propertiesOf(themeCss({ light }, 'dark'));
    expect(dark.get('--tb-accent')).to.equal('#116633');
    expect(dark.get('--tb-surface')).to.not.equal('#ffffff');
    const own = propertiesOf(themeCss({ light, dark: { accent: '#88ffaa' } }, 'dark'));
    expect(own.get('--tb-accent')).to.equal('#88ffaa');
  });

  it('follows the visitor by a media query only where nobody decided', () => {
    expect(themeCss({}, 'auto')).to.contain('@media (prefers-color-scheme:dark)');
    expect(themeCss({}, 'dark')).to.not.contain('@media');
  });

  it('is of the scheme that the theme says, else of the one that the page declares', () => {
    expect(schemeOf({ colourScheme: 'dark' }, 'light')).to.equal('dark');
    expect(schemeOf({ colourScheme: 'auto' }, 'light')).to.equal('light');
    expect(schemeOf({}, 'only dark')).to.equal('dark');
    expect(schemeOf({}, 'light dark')).to.equal('auto');
    expect(schemeOf({}, 'normal')).to.equal('auto');
  });

  it('merges colour by colour, the later over the earlier', () => {
    const merged = mergeThemes(
      { light: { accent: '#000001', surface: '#000002' }, cornerRadius: 8 },
      undefined,
      { light: { accent: '#000003' }, launcherSide: 'start' },
    );
    expect(merged).to.deep.equal({
      light: { accent: '#000003', surface: '#000002' },
      cornerRadius: 8,
      launcherSide: 'start',
    });
  });

  it('takes nothing into a style sheet that is not what it should be', () => {
    const wild = {
      light: { accent: 'red;}*{color:red', surface: '#fff' },
      fontFamily: 'x;} body{display:none',
      cornerRadius: 1.5,
      colourScheme: 'neon',
      launcherSide: 'top',
    };
    expect(mergeThemes(wild as never)).to.deep.equal({ light: {} });
    expect(mergeThemes({ fontFamily: '"Acme Sans, serif' })).to.deep.equal({});
    expect(mergeThemes({ fontFamily: '"Acme Sans", serif' })).to.deep.equal({
      fontFamily: '"Acme Sans", serif',
    });
  });
});
