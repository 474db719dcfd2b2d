import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { Empty } from '../parts/notes.tsx'
import { BubbleView } from './bubble.tsx'
import type { Bubble } from './log.ts'

interface LogProps {
  readonly bubbles: readonly Bubble[]
  /** One that was looked for. */
  readonly shown: number | undefined
  readonly canEdit: boolean
  readonly onResend: (text: string, ordinal: number) => void
}

/** Of a bubble that was not drawn yet: a smaller one would make the list draw many that nobody sees. */
const typicalHeight = 160

/** The list draws its top before it can go to the end, so it begins with the end alone. */
const drawnFirst = 3

/** Pixels from the end within which a reader counts as being there. */
const nearEnd = 40

/** Lets a long past follow a frame after its end, in three drawings: the end, the past put before it, and the rest of the life of the list. */
function usePast(count: number): { readonly from: number; readonly shift: boolean } {
  const [step, setStep] = useState<'end' | 'past' | 'whole'>(count > drawnFirst ? 'end' : 'whole')
  const [first] = useState(count - drawnFirst)
  useEffect(() => {
    if (step === 'whole') return
    const next = requestAnimationFrame(() => setStep(step === 'end' ? 'past' : 'whole'))
    return () => cancelAnimationFrame(next)
  }, [step])
  return { from: step === 'end' ? first : 0, shift: step !== 'whole' }
}

/**
 * Keeps the end of a scrolled element in sight while it grows, unless the reader has gone up; answers what makes it stay where it is.
 * The list's own way to an item goes on while heights change, and would pull the reader back.
 */
function useEnd(scrolled: RefObject<HTMLElement | null>): () => void {
  const away = useRef(false)
  useLayoutEffect(() => {
    const { current } = scrolled
    const inside = current?.firstElementChild
    if (!current || !inside) return
    let last = current.scrollTop
    const look = (): void => {
      const { scrollTop, scrollHeight, clientHeight } = current
      if (scrollHeight - clientHeight - scrollTop <= nearEnd) away.current = false
      else if (scrollTop < last) away.current = true
      last = scrollTop
    }
    const follow = (): void => {
      look()
      if (away.current) return
      current.scrollTop = current.scrollHeight
      last = current.scrollTop
    }
    // The browser would go to where the end was before the last messages had a height.
    const seek = (event: KeyboardEvent): void => {
      if (event.key !== 'End' || event.target !== current) return
      event.preventDefault()
      away.current = false
      follow()
    }
    follow()
    // The list says its height in its style, before the browser draws it.
    const grown = new MutationObserver(follow)
    grown.observe(inside, { attributeFilter: ['style'] })
    const resized = new ResizeObserver(follow)
    resized.observe(current)
    current.addEventListener('scroll', look, { passive: true })
    current.addEventListener('keydown', seek)
    return () => {
      grown.disconnect()
      resized.disconnect()
      current.removeEventListener('scroll', look)
      current.removeEventListener('keydown', seek)
    }
  }, [scrolled])
  return useCallback(() => {
    away.current = true
  }, [])
}

/** Only what is seen is in the page. The end stays in sight while it grows, unless the reader has gone up. */
export function LogView(props: LogProps) {
  return props.bubbles.length === 0 ? <Empty title="Nothing was said yet">Write the first message below.</Empty> : <Said {...props} />
}

function Said({ bubbles, shown, canEdit, onResend }: LogProps) {
  const scrolled = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const { from, shift } = usePast(bubbles.length)
  const drawn = useMemo(() => bubbles.slice(from), [bubbles, from])
  const stay = useEnd(scrolled)
  useLayoutEffect(() => {
    if (shown === undefined) return
    stay()
    list.current?.scrollToIndex(shown, { align: 'center' })
  }, [shown, stay])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what is scrolled must be reached by key
    <div ref={scrolled} role="log" aria-label="Conversation" tabIndex={0}>
      <Virtualizer ref={list} data={drawn} shift={shift} itemSize={typicalHeight}>
        {(bubble, index) => (
          <div key={bubble.key} className={index + from === shown ? 'found' : undefined}>
            <BubbleView bubble={bubble} canEdit={canEdit} onResend={onResend} />
          </div>
        )}
      </Virtualizer>
    </div>
  )
}
