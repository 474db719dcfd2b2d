import type { PanelAnswers, PanelRecord } from '@agent/plugin-sdk'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type Data, useApp } from '../net/app.ts'

/** What is asked of a panel. */
export interface PanelAsk {
  readonly panel: string
  readonly method: string
  readonly input?: PanelRecord
  readonly item?: string
}

export function useRunPanel(): (ask: PanelAsk) => Promise<unknown> {
  const { socket } = useApp()
  return useCallback(
    ({ panel, method, input = {}, item }: PanelAsk) =>
      socket.call('panel.run', { panel, method, input, ...(item === undefined || item === '' ? {} : { item }) }),
    [socket],
  )
}

/** Nobody reads what comes faster. */
const shortest = 250

/**
 * What a method answers for a block of this type; the host has looked whether it fits. It is asked again after `every` milliseconds, where
 * something else is filled in, and where the panel tells of a change.
 */
export function useAnswer<Type extends keyof PanelAnswers>(_type: Type, ask: PanelAsk, every?: number): Data<PanelAnswers[Type]> {
  const { socket } = useApp()
  const run = useRunPanel()
  const [state, setState] = useState<{ value?: PanelAnswers[Type]; error?: unknown }>({})
  const [round, setRound] = useState(0)
  const asked = JSON.stringify(ask)
  const last = useRef(Number.NEGATIVE_INFINITY)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a round asks again.
  useEffect(() => {
    let gone = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const next: PanelAsk = JSON.parse(asked)
    const settle = (change: (old: typeof state) => typeof state) => {
      if (gone) return
      setState(change)
      if (every) soon(every)
    }
    const now = () => {
      // The connection of a page that was just loaded is asked when it is there; one that was lost says so, and is asked again.
      if (socket.link() === 'connecting') return
      last.current = performance.now()
      run(next).then(
        (value) => settle(() => ({ value: value as PanelAnswers[Type] })),
        (error: unknown) => settle((old) => ({ ...old, error })),
      )
    }
    const soon = (wait: number) => {
      clearTimeout(timer)
      timer = setTimeout(now, wait)
    }
    const early = () => {
      const wait = last.current + shortest - performance.now()
      if (wait <= 0) now()
      else soon(wait)
    }
    const stops = [socket.onLink(now), socket.onPanelChanged(({ panel }) => panel === next.panel && early())]
    early()
    return () => {
      gone = true
      for (const stop of stops) stop()
      clearTimeout(timer)
    }
  }, [socket, run, asked, every, round])
  return { value: state.value, error: state.error, reload: useCallback(() => setRound((old) => old + 1), []) }
}
