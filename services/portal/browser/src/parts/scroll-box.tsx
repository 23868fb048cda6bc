import type { ReactNode } from 'react';

/** What may be wider than the window: it scrolls by itself, by keyboard too. */
export function ScrollBox({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="scroll-box" role="region" aria-label={name} tabIndex={0}>
      {children}
    </div>
  );
}
