import { defineTexts } from '../../i18n/texts.ts';

export const requestTexts = defineTexts({
  en: {
    title: 'Refused requests',
    lead: 'What your backend sent and was refused, without the values that it held. Kept for seven days.',
    empty: 'Nothing was refused in the last seven days.',
    lastAt: 'Last',
    count: 'Times',
    route: 'Route',
    status: 'Status',
    code: 'Code',
    violations: 'What was wrong',
    key: 'Access key',
  },
  de: {
    title: 'Abgelehnte Anfragen',
    lead: 'Was Ihr Backend sendete und abgelehnt wurde, ohne die Werte darin. Sieben Tage aufbewahrt.',
    empty: 'In den letzten sieben Tagen wurde nichts abgelehnt.',
    lastAt: 'Zuletzt',
    count: 'Mal',
    route: 'Route',
    status: 'Status',
    code: 'Code',
    violations: 'Was falsch war',
    key: 'Zugangsschlüssel',
  },
});
