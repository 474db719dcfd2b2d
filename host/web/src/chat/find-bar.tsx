import { type KeyboardEvent, useEffect, useRef } from 'react'
import { Button } from '../parts/button.tsx'

export interface FindBarProps {
  readonly words: string
  /** How many bubbles hold the words, and which of them is shown. */
  readonly count: number
  readonly at: number
  readonly onWords: (words: string) => void
  readonly onStep: (by: 1 | -1) => void
  readonly onClose: () => void
}

/** Enter goes to the next place, Shift-Enter to the one before, Escape ends it. */
export function FindBar({ words, count, at, onWords, onStep, onClose }: FindBarProps) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose()
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) onStep(event.shiftKey ? -1 : 1)
  }
  const place = words.trim() === '' ? '' : count === 0 ? 'Nothing found' : `${at + 1} of ${count}`
  return (
    <search className="line find">
      <input
        ref={field}
        className="input"
        type="search"
        aria-label="Find in this conversation"
        placeholder="Find in this conversation"
        value={words}
        onChange={(event) => onWords(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <output className="muted small figures">{place}</output>
      <Button tiny disabled={count === 0} label="The one before" onPress={() => onStep(-1)}>
        ↑
      </Button>
      <Button tiny disabled={count === 0} label="The next one" onPress={() => onStep(1)}>
        ↓
      </Button>
      <Button tiny look="plain" label="End the search" onPress={onClose}>
        ✕
      </Button>
    </search>
  )
}
