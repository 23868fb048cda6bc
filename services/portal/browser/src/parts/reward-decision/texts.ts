import { defineTexts } from '../../i18n/texts.ts';

export const decisionTexts = defineTexts({
  en: {
    release: {
      label: 'Release',
      title: 'Release this reward?',
      text: 'It is issued whatever its hold or review says, and the webhook tells of it.',
      done: 'Released. It takes a moment until the list shows it.',
    },
    withhold: {
      label: 'Withhold',
      title: 'Withhold this reward?',
      text: 'It is not issued until somebody releases it.',
      done: 'Withheld. It takes a moment until the list shows it.',
    },
  },
  de: {
    release: {
      label: 'Freigeben',
      title: 'Diese Prämie freigeben?',
      text: 'Sie wird ausgegeben, was auch immer zurückhält, und der Webhook meldet es.',
      done: 'Freigegeben. Die Liste zeigt es gleich.',
    },
    withhold: {
      label: 'Einbehalten',
      title: 'Diese Prämie einbehalten?',
      text: 'Sie wird nicht ausgegeben, bis jemand sie freigibt.',
      done: 'Einbehalten. Die Liste zeigt es gleich.',
    },
  },
});
