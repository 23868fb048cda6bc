import { defineTexts } from '../../i18n/texts.ts';

export const campaignListTexts = defineTexts({
  en: {
    title: 'Campaigns',
    empty: 'There is no campaign yet.',
    campaign: 'Campaign',
    name: 'Name',
    status: 'Status',
    statuses: { running: 'Running', stopped: 'Stopped' },
    revision: 'Revision',
    rules: 'Rules',
    effectiveFrom: 'In effect from',
    add: 'New campaign',
    addText:
      'Choose an id; the rules are written on the next page, and nothing holds before they are saved.',
  },
  de: {
    title: 'Kampagnen',
    empty: 'Noch gibt es keine Kampagne.',
    campaign: 'Kampagne',
    name: 'Name',
    status: 'Zustand',
    statuses: { running: 'Läuft', stopped: 'Angehalten' },
    revision: 'Fassung',
    rules: 'Regeln',
    effectiveFrom: 'Gilt ab',
    add: 'Neue Kampagne',
    addText:
      'Wählen Sie eine Id; die Regeln folgen auf der nächsten Seite, und nichts gilt, bevor sie gesichert sind.',
  },
});
