import { useState } from 'react';

/**
 * A draft that survives a reload, a failed request and another page: it is kept in this browser
 * until it is saved or discarded.
 */
export function useDraft(key: string, saved: string) {
  const storageKey = `tributary-draft:${key}`;
  const [draft, setDraft] = useState(() => localStorage.getItem(storageKey));
  const change = (text: string) => {
    localStorage.setItem(storageKey, text);
    setDraft(text);
  };
  const discard = () => {
    localStorage.removeItem(storageKey);
    setDraft(null);
  };
  return { text: draft ?? saved, isDraft: draft !== null && draft !== saved, change, discard };
}

export type Parsed = { value: Record<string, unknown> } | { mistake: string };

export function parseObject(text: string): Parsed {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { value: value as Record<string, unknown> };
    }
    return { mistake: 'not an object' };
  } catch (error) {
    return { mistake: error instanceof Error ? error.message : String(error) };
  }
}
