import { defineTexts } from '../../i18n/texts.ts';

/** By the kind of who acted, where it stands for itself. */
export const actorTexts = defineTexts({
  en: {
    member: 'A member',
    former: 'Somebody without a role here any more',
    operator: 'An operator of the deployment',
    token: 'API token',
    'deployment-token': 'API token of the deployment',
    'configured-token': 'The static token of the deployment',
    nobody: 'Nobody signed in',
  },
  de: {
    member: 'Ein Mitglied',
    former: 'Jemand, der hier keine Rolle mehr hat',
    operator: 'Ein Betreiber der Installation',
    token: 'API-Token',
    'deployment-token': 'API-Token der Installation',
    'configured-token': 'Das feste Token der Installation',
    nobody: 'Niemand angemeldet',
  },
});

/** The same behind “by” in a sentence. */
export const actorInSentenceTexts = defineTexts({
  en: {
    member: 'a member',
    former: 'somebody without a role here any more',
    operator: 'an operator of the deployment',
    token: 'an API token',
    'deployment-token': 'an API token of the deployment',
    'configured-token': 'the static token of the deployment',
    nobody: 'somebody who was not signed in',
  },
  de: {
    member: 'einem Mitglied',
    former: 'jemandem, der hier keine Rolle mehr hat',
    operator: 'einem Betreiber der Installation',
    token: 'einem API-Token',
    'deployment-token': 'einem API-Token der Installation',
    'configured-token': 'dem festen Token der Installation',
    nobody: 'jemandem, der nicht angemeldet war',
  },
});
