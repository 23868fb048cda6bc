import type { ReactNode } from 'react';
import type { Place } from './place.ts';

/** A page that is built: its place, and its screen, which is loaded when it is opened. */
export type Page = { place: Place; load: () => Promise<ScreenModule> };
type ScreenModule = { Screen: () => ReactNode };

// A folder with both files is a page: nothing else has to name it.
const places = import.meta.glob<Place>('../pages/*/place.ts', { eager: true, import: 'place' });
const screens = import.meta.glob<ScreenModule>('../pages/*/screen.tsx');

export const pages: readonly Page[] = Object.entries(places).flatMap(([file, place]) => {
  const load = screens[file.replace('place.ts', 'screen.tsx')];
  return load === undefined ? [] : [{ place, load }];
});
