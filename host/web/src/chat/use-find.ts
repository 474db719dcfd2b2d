import { useEffect, useMemo, useState } from 'react'
import type { FindBarProps } from './find-bar.tsx'
import { findInLog } from './find-in-log.ts'
import type { Bubble } from './log.ts'

export interface Find {
  readonly open: () => void
  /** Absent while nothing is looked for. */
  readonly bar: FindBarProps | undefined
  /** The bubble to show. */
  readonly shown: number | undefined
}

/** Looks for words in the conversation. The browser's own search sees only the part that is drawn, so its key opens this one. */
export function useFind(bubbles: readonly Bubble[]): Find {
  const [state, setState] = useState<{ readonly words: string; readonly step: number }>()
  const words = state?.words ?? ''
  const places = useMemo(() => findInLog(bubbles, words), [bubbles, words])
  const open = () => setState((now) => now ?? { words: '', step: 0 })
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'f' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      setState((now) => now ?? { words: '', step: 0 })
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
  if (state === undefined) return { open, bar: undefined, shown: undefined }
  const count = places.length
  // The newest place comes first: that is what one remembers.
  const at = count === 0 ? 0 : (((count - 1 + state.step) % count) + count) % count
  return {
    open,
    shown: places[at],
    bar: {
      ...{ words, count, at },
      onWords: (next) => setState({ words: next, step: 0 }),
      onStep: (by) => setState({ words, step: state.step + by }),
      onClose: () => setState(undefined),
    },
  }
}
