import { defineTexts } from '../../i18n/texts.ts';

export const auditTexts = defineTexts({
  en: {
    title: 'Audit',
    at: 'When',
    actor: 'Who',
    action: 'What',
    outcome: 'Outcome',
    outcomes: { done: 'Done', refused: 'Refused', failed: 'Failed', unknown: 'Unknown' },
    target: 'Of which',
    address: 'From',
    request: 'Request',
    status: 'Status',
    asked: 'Asked for',
    before: 'Before',
    after: 'After',
  },
  de: {
    title: 'Protokoll',
    at: 'Wann',
    actor: 'Wer',
    action: 'Was',
    outcome: 'Ausgang',
    outcomes: {
      done: 'Getan',
      refused: 'Verweigert',
      failed: 'Fehlgeschlagen',
      unknown: 'Unbekannt',
    },
    target: 'Wovon',
    address: 'Von wo',
    request: 'Anfrage',
    status: 'Status',
    asked: 'Verlangt',
    before: 'Vorher',
    after: 'Nachher',
  },
});
