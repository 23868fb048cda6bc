import { defineTexts } from '../../i18n/texts.ts';

export const keyTexts = defineTexts({
  en: {
    title: 'Keys',
    accessKeys: 'Access keys',
    accessKeysText:
      'Your backend asks for a token with one of these. To roll a key: create a second one, give it to your backend, and revoke the first when it is no longer used.',
    empty: 'There is no access key yet.',
    key: 'Access key',
    name: 'Name',
    status: 'Status',
    statuses: { active: 'Active', revoked: 'Revoked' },
    createdAt: 'Created',
    createdBy: 'By',
    create: 'Create an access key',
    createText: 'Its secret is shown once, and kept as a digest only.',
    created: 'The access key is created.',
    revoke: 'Revoke',
    revokeText: 'Tokens of this key end within seconds, and it cannot be used again.',
    revoked: 'The access key is revoked.',
    productSecret: 'Product secret',
    productSecretText:
      'Your backend signs the tokens of the widget with it (HS512). A new one replaces the former at once.',
    rotate: 'Make a new product secret',
    rotated: 'The product secret is replaced.',
    actions: 'Actions',
  },
  de: {
    title: 'Schlüssel',
    accessKeys: 'Zugangsschlüssel',
    accessKeysText:
      'Ihr Backend holt damit ein Token. Zum Wechseln: einen zweiten anlegen, dem Backend geben, und den ersten widerrufen, wenn er nicht mehr benutzt wird.',
    empty: 'Noch gibt es keinen Zugangsschlüssel.',
    key: 'Zugangsschlüssel',
    name: 'Name',
    status: 'Zustand',
    statuses: { active: 'Gültig', revoked: 'Widerrufen' },
    createdAt: 'Angelegt',
    createdBy: 'Von',
    create: 'Zugangsschlüssel anlegen',
    createText: 'Sein Geheimnis wird einmal gezeigt und nur als Prüfwert aufbewahrt.',
    created: 'Der Zugangsschlüssel ist angelegt.',
    revoke: 'Widerrufen',
    revokeText: 'Seine Tokens enden in Sekunden, und er lässt sich nicht mehr benutzen.',
    revoked: 'Der Zugangsschlüssel ist widerrufen.',
    productSecret: 'Produktgeheimnis',
    productSecretText:
      'Ihr Backend signiert damit die Tokens des Widgets (HS512). Ein neues ersetzt das frühere sofort.',
    rotate: 'Neues Produktgeheimnis',
    rotated: 'Das Produktgeheimnis ist ersetzt.',
    actions: 'Handlungen',
  },
});
