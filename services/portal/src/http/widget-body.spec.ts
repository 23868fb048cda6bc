import { expect } from 'chai';
import { Refusal } from './refusal.ts';
import { browserScriptRoutes } from '@tributary/contracts/admin/browser-scripts';
import { createBodyReader } from './body.ts';

const readWidgetBody = createBodyReader(browserScriptRoutes.changeWidgetSettings.body);

describe('the body of widget settings', () => {
  const violations = (body: unknown) => {
    try {
      readWidgetBody(body);
    } catch (error) {
      if (error instanceof Refusal) return error.about.errors ?? [];
      throw error;
    }
    return [];
  };
  const found = (body: unknown) =>
    violations(body).map(({ pointer, code }) => `${pointer} ${code}`);

  it('takes everything that the contract has, and nothing at all', () => {
    const palette = {
      accent: '#1f6feb',
      onAccent: '#FFFFFF',
      surface: '#000000',
      onSurface: '#eeeeee',
    };
    const whole = {
      theme: {
        light: palette,
        dark: palette,
        colourScheme: 'auto',
        cornerRadius: 32,
        fontFamily: '"Inter", sans-serif',
        launcherSide: 'start',
      },
      texts: { en: { 'launcher.label': 'Give 10 €, get 10 €' }, 'pt-BR': {} },
      referrerName: 'initial',
      referredUserName: 'none',
      recoverSignups: true,
      maxTokenAgeSeconds: 3_600,
    };
    expect(readWidgetBody(whole)).to.deep.equal(whole);
    for (const part of [{}, { theme: {} }, { maxTokenAgeSeconds: null }]) {
      expect(readWidgetBody(part)).to.deep.equal(part);
    }
  });

  for (const [body, expected] of [
    [{ name: 'x' }, '/name UNKNOWN_FIELD'],
    [{ referrerName: 'full' }, '/referrerName INVALID_ENUM'],
    [{ recoverSignups: 'yes' }, '/recoverSignups INVALID_TYPE'],
    [{ maxTokenAgeSeconds: 59 }, '/maxTokenAgeSeconds OUT_OF_RANGE'],
    [{ maxTokenAgeSeconds: 31_536_001 }, '/maxTokenAgeSeconds OUT_OF_RANGE'],
    [{ maxTokenAgeSeconds: NaN }, '/maxTokenAgeSeconds INVALID_TYPE'],
    [{ maxTokenAgeSeconds: '3600' }, '/maxTokenAgeSeconds INVALID_TYPE'],
    [{ theme: null }, '/theme INVALID_TYPE'],
    [{ theme: { accent: '#000000' } }, '/theme/accent UNKNOWN_FIELD'],
    [{ theme: { light: { accent: 'red' } } }, '/theme/light/accent INVALID_FORMAT'],
    [{ theme: { dark: { accent: '#fff' } } }, '/theme/dark/accent INVALID_FORMAT'],
    [{ theme: { dark: { text: '#ffffff' } } }, '/theme/dark/text UNKNOWN_FIELD'],
    [{ theme: { cornerRadius: 33 } }, '/theme/cornerRadius OUT_OF_RANGE'],
    [{ theme: { fontFamily: 'url(x)' } }, '/theme/fontFamily INVALID_FORMAT'],
    [{ theme: { fontFamily: '' } }, '/theme/fontFamily OUT_OF_RANGE'],
    [{ theme: { launcherSide: 'left' } }, '/theme/launcherSide INVALID_ENUM'],
    [{ texts: { English: {} } }, '/texts/English UNKNOWN_FIELD'],
    [{ texts: { en: 'hello' } }, '/texts/en INVALID_TYPE'],
    [{ texts: { en: { 'a b': 'hello' } } }, '/texts/en/a b UNKNOWN_FIELD'],
    [{ texts: { en: { a: '' } } }, '/texts/en/a OUT_OF_RANGE'],
    [{ texts: { en: { a: 'x'.repeat(501) } } }, '/texts/en/a OUT_OF_RANGE'],
    [{ texts: { en: { a: '🍵'.repeat(251) } } }, '/texts/en/a OUT_OF_RANGE'],
    [{ texts: { en: { a: 'a\0b' } } }, '/texts/en/a INVALID_FORMAT'],
    [{ texts: { en: { a: 'a\ud800b' } } }, '/texts/en/a INVALID_FORMAT'],
    [{ texts: { en: many(101, 'a', 'text') } }, '/texts/en OUT_OF_RANGE'],
  ] as const) {
    it(`refuses ${JSON.stringify(body).slice(0, 60)}: ${expected}`, () => {
      expect(found(body)).to.deep.equal([expected]);
    });
  }

  it('refuses more than 30 languages, and says how many there may be', () => {
    const tags = [...'abcdefghijklmnopqrstuvwxyz'].flatMap((letter) => [
      `a${letter}`,
      `b${letter}`,
    ]);
    const texts = (count: number) =>
      Object.fromEntries(tags.slice(0, count).map((tag) => [tag, {}]));
    expect(found({ texts: texts(30) })).to.deep.equal([]);
    const [violation] = violations({ texts: texts(31) });
    expect(violation).to.include({ pointer: '/texts', code: 'OUT_OF_RANGE' });
    expect(violation?.detail).to.match(/up to 30 languages$/);
  });

  it('finds every mistake at once, and says in words what would be right', () => {
    const body = {
      theme: { light: { accent: 'red' } },
      texts: { 'en-us': {} },
      maxTokenAgeSeconds: 1,
    };
    expect(violations(body).map(({ detail }) => detail)).to.have.members([
      'must be a colour of six hexadecimal digits such as "#1f6feb"',
      'is no language tag such as "en" or "pt-BR"',
      'must be one of a whole number from 60 to 31536000, null',
    ]);
  });

  it('takes texts as long as a record may hold', () => {
    const texts = { en: { a: '🍵'.repeat(250), b: 'x'.repeat(500) } };
    expect(found({ texts })).to.deep.equal([]);
  });
});

function many(count: number, prefix: string, value: string): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, value]));
}
