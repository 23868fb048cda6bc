import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, indentOnInput } from '@codemirror/language';
import { linter } from '@codemirror/lint';
import { Annotation, EditorState } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { withMarks } from '../hidden-characters.ts';
import type { JsonEditorProps } from './json-editor.tsx';

/** Tab leaves the field, as everywhere: nobody is caught in it who has no mouse. */
export function Editor({ label, value, onChange }: JsonEditorProps) {
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const changed = useRef(onChange);
  useEffect(() => {
    changed.current = onChange;
  });
  useEffect(() => {
    const created = new EditorView({
      parent: parent.current!,
      state: EditorState.create({
        extensions: extensionsOf(label, (text) => changed.current(text)),
      }),
    });
    view.current = created;
    return () => created.destroy();
  }, [label]);
  useEffect(() => {
    const shown = view.current;
    if (!shown || shown.state.doc.toString() === value) return;
    const changes = { from: 0, to: shown.state.doc.length, insert: value };
    shown.dispatch({ changes, annotations: given.of(true) });
  }, [value, label]);
  return <div className="json-editor" ref={parent} />;
}

/** Marks what the page put there: only what somebody typed is a change. */
const given = Annotation.define<true>();

function extensionsOf(label: string, onChange: (text: string) => void) {
  return [
    EditorView.cspNonce.of(
      document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '',
    ),
    lineNumbers(),
    history(),
    drawSelection(),
    highlightSpecialChars({ render: markOf, addSpecialChars: /[\u202a-\u202c\u2060-\u206f]/ }),
    indentOnInput(),
    bracketMatching(),
    json(),
    linter(jsonParseLinter()),
    keymap.of([...defaultKeymap, ...historyKeymap]),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label }),
    EditorView.updateListener.of((update) => {
      const isTyped = update.transactions.every((each) => each.annotation(given) === undefined);
      if (update.docChanged && isTyped) onChange(update.state.doc.toString());
    }),
    EditorView.theme({
      '&': { border: '1px solid var(--mantine-color-default-border)', fontSize: '0.85rem' },
      '.cm-content': { caretColor: 'var(--mantine-color-text)' },
      '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
      '.cm-gutters': {
        backgroundColor: 'var(--mantine-color-default)',
        color: 'var(--mantine-color-dimmed)',
        border: 'none',
      },
    }),
  ];
}

/** A character that nobody could see, by its number, as on the other pages. */
function markOf(code: number): HTMLElement {
  const mark = document.createElement('span');
  mark.className = 'hidden-character';
  mark.textContent = withMarks(String.fromCodePoint(code));
  return mark;
}
