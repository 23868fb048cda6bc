import { lazy, Suspense } from 'react';
import { Loading } from '../states.tsx';

const Editor = lazy(async () => ({ default: (await import('./editor.tsx')).Editor }));

export type JsonEditorProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
};

/** A field for JSON; the editor itself is loaded where one is shown. */
export function JsonEditor(props: JsonEditorProps) {
  return (
    <Suspense fallback={<Loading />}>
      <Editor {...props} />
    </Suspense>
  );
}
