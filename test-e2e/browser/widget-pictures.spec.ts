import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { BrowserContextOptions } from 'playwright-core';
import { axeFindings } from './axe.ts';
import type { Boot } from './host-html.ts';
import { desktop, type OpenedPanel, phone as realPhone, usePanel } from './opened-panel.ts';
import { pictureBody, pictureHead } from './picture-page.ts';
import { arabicTexts } from './arabic-texts.ts';
import { busySession, newSession, refundedSession, unauthorizedProblem } from './widget-scenes.ts';

// The pictures of docs/images, `widget-<scene>.png`. To take them anew, from the root:
//
//   node services/widget/build-assets.ts
//   WIDGET_PICTURES=docs/images npx mocha test-e2e/browser/widget-pictures.spec.ts

type Scene = {
  options: BrowserContextOptions;
  boot?: Partial<Boot>;
  answer?: [number, object];
  /** What must be there before the picture is taken. */
  shows: string;
  then?: (panel: OpenedPanel) => Promise<void>;
};

/** Drawn a little coarser than phones do, since the docs are read on other screens. */
const phone = { ...realPhone, deviceScaleFactor: 1.5 };

/** A system's own font is not the same on every machine that takes pictures. */
const theme = { fontFamily: 'Arial' };
const dark = { colorScheme: 'dark' } as const;
const teaTheme = {
  ...theme,
  cornerRadius: 10,
  light: { accent: '#2f5d4a', surface: '#fffdf8', onSurface: '#26302b' },
  dark: { accent: '#8fc9ae', surface: '#1a1f1c', onSurface: '#e8ece9' },
};

const scenes: Record<string, Scene> = {
  'desktop-light': { options: desktop, shows: 'Your referrals' },
  'desktop-dark': { options: { ...desktop, ...dark }, shows: 'Your referrals' },
  'phone-light': { options: phone, shows: 'Your referrals' },
  'phone-dark': { options: { ...phone, ...dark }, shows: 'Your referrals' },
  'own-colours': { options: desktop, boot: { theme: teaTheme }, shows: 'Your referrals' },
  german: { options: phone, boot: { language: 'de' }, shows: 'Deine Empfehlungen' },
  'right-to-left': {
    options: phone,
    boot: { language: 'ar' },
    answer: [200, { ...busySession, texts: { ar: arabicTexts } }],
    shows: arabicTexts['referrals.title'],
  },
  referrals: {
    options: phone,
    shows: 'How it works',
    then: ({ ofDialog }) => ofDialog(`dialog.querySelector('.body').scrollTo(0, 9999)`),
  },
  refunded: {
    options: phone,
    answer: [200, refundedSession],
    shows: 'to be offset',
    then: ({ ofDialog }) =>
      ofDialog(`dialog.querySelector('.credits').scrollIntoView({ block: 'center' })`),
  },
  'qr-code': {
    options: phone,
    shows: 'QR code',
    then: ({ dialog }) => dialog.getByRole('button', { name: 'QR code' }).click(),
  },
  empty: { options: phone, answer: [200, newSession], shows: 'Your first referral' },
  unauthorized: { options: phone, answer: [401, unauthorizedProblem], shows: 'not authorized' },
  unavailable: { options: phone, answer: [503, {}], shows: 'Try again' },
};

describe('pictures of the widget', function () {
  this.timeout(60_000);
  const panel = usePanel();

  for (const [name, { options, boot, answer, shows, then }] of Object.entries(scenes)) {
    it(`${name}: is as it should be, and small enough for the docs`, async () => {
      panel.answer(...(answer ?? [200, busySession]));
      const opened = await panel.open({
        options,
        boot: { theme, ...boot },
        head: pictureHead,
        body: pictureBody,
      });
      await opened.dialog.getByText(shows).first().waitFor();
      await then?.(opened);
      expect(await axeFindings(opened.page)).to.deep.equal([]);
      const picture = await opened.page.screenshot({ animations: 'disabled' });
      expect(picture.length).to.be.within(10_000, 150_000);
      const folder = process.env['WIDGET_PICTURES'];
      if (folder !== undefined) await writeFile(join(folder, `widget-${name}.png`), picture);
    });
  }
});
