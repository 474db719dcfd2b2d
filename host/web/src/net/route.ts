import { useSyncExternalStore } from 'react'

export interface Place {
  /** The page's id: `status`, `chat` … */
  readonly page: string
  /** What follows the page's id, decoded: the id of a session or a platform. */
  readonly rest: string
}

/** `#/chat/abc` → chat, abc. The place is behind the #, so that the server needs no rule for it and a path before it does no harm. */
export function parsePlace(hash: string): Place {
  const [page = '', ...rest] = hash.replace(/^#\/?/, '').split('/')
  return { page, rest: decode(rest.join('/')) }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function hrefOf(page: string, rest = ''): string {
  return `#/${page}${rest === '' ? '' : `/${encodeURIComponent(rest)}`}`
}

export function go(page: string, rest = ''): void {
  location.hash = hrefOf(page, rest)
}

function subscribe(changed: () => void): () => void {
  addEventListener('hashchange', changed)
  return () => removeEventListener('hashchange', changed)
}

export function usePlace(): Place {
  return parsePlace(useSyncExternalStore(subscribe, () => location.hash))
}
