import { defineTexts } from '../../i18n/texts.ts';

export const viewTexts = defineTexts({
  en: {
    views: 'Saved views',
    saveView: 'Save this view',
    name: 'Name',
    kept: 'What is filtered and sorted now, kept in this browser. A view of the same name is replaced.',
    rename: 'Rename this view',
    delete: 'Delete this view',
    saved: (name: string) => `Saved as ${name}.`,
    renamed: (name: string) => `Renamed to ${name}.`,
    deleted: (name: string) => `${name} is deleted.`,
  },
  de: {
    views: 'Gespeicherte Ansichten',
    saveView: 'Diese Ansicht speichern',
    name: 'Name',
    kept: 'Filter und Reihenfolge von jetzt, in diesem Browser gespeichert. Eine Ansicht gleichen Namens wird ersetzt.',
    rename: 'Diese Ansicht umbenennen',
    delete: 'Diese Ansicht löschen',
    saved: (name) => `Als ${name} gespeichert.`,
    renamed: (name) => `In ${name} umbenannt.`,
    deleted: (name) => `${name} ist gelöscht.`,
  },
});
