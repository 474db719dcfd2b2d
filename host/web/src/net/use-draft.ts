import { useState } from 'react'

/** What is typed and not sent or saved. It is kept for this tab, so that a reload takes nothing of it: no secret may stand in it. */
export function useDraft(key: string): readonly [text: string, change: (text: string) => void] {
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '')
  const change = (next: string) => {
    setText(next)
    try {
      if (next === '') sessionStorage.removeItem(key)
      else sessionStorage.setItem(key, next)
    } catch {
      // The browser has no room for it: then it is only on the screen.
    }
  }
  return [text, change]
}
