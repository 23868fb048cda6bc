import { defineTexts } from '../../i18n/texts.ts';

/** By the kind of who acted. */
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
