import { baseOf } from './language.ts';
import { en, type LanguageTexts } from './languages/en.ts';

/** A language is added by a file and a line here (docs/widget.md, "Languages"). */
const loaders: Record<string, () => Promise<{ texts: LanguageTexts }>> = {
  en: async () => ({ texts: en }),
  de: () => import('./languages/de.ts'),
};

export const ourLanguages: readonly string[] = Object.keys(loaders);

/** Undefined, that is English, when there are no such texts or they cannot be loaded. */
export async function loadTexts(code: string): Promise<LanguageTexts | undefined> {
  const ours = [code, baseOf(code)].find((one) => loaders[one] !== undefined);
  if (ours === undefined) return undefined;
  const texts = (await take(() => loaders[ours]?.())) ?? (await take(() => byFixedName(ours)));
  return texts?.texts;
}

type Loaded = Promise<{ texts: LanguageTexts }> | undefined;

/** For an entry that the browser kept over a deployment: the file that it knows is gone. */
function byFixedName(code: string): Loaded {
  const entryUrl = import.meta.url;
  return import(/* @vite-ignore */ new globalThis.URL(`${code}.js`, entryUrl).href) as Loaded;
}

async function take(load: () => Loaded): Promise<{ texts: LanguageTexts } | undefined> {
  try {
    return await load();
  } catch {
    return undefined;
  }
}
