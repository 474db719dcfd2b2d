import type { PanelAnswers, PanelRecord } from '@agent/plugin-sdk'
import { useCallback, useEffect, useState } from 'react'
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

/** What a method answers for a block of this type; the host has looked whether it fits. `every`: milliseconds after which it is asked again. */
export function useAnswer<Type extends keyof PanelAnswers>(
  _type: Type,
  { panel, method, item }: PanelAsk,
  every?: number,
): Data<PanelAnswers[Type]> {
  const { socket } = useApp()
  const run = useRunPanel()
  const [state, setState] = useState<{ value?: PanelAnswers[Type]; error?: unknown }>({})
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a round asks again.
  useEffect(() => {
    let gone = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const settle = (next: (old: typeof state) => typeof state) => {
      if (gone) return
      setState(next)
      clearTimeout(timer)
      if (every) timer = setTimeout(ask, every)
    }
    const ask = () => {
      // The connection of a page that was just loaded is asked when it is there; one that was lost says so, and is asked again.
      if (socket.link() === 'connecting') return
      run({ panel, method, ...(item === undefined ? {} : { item }) }).then(
        (value) => settle(() => ({ value: value as PanelAnswers[Type] })),
        (error: unknown) => settle((old) => ({ ...old, error })),
      )
    }
    const stop = socket.onLink(ask)
    ask()
    return () => {
      gone = true
      stop()
      clearTimeout(timer)
    }
  }, [socket, run, panel, method, item, every, round])
  return { value: state.value, error: state.error, reload: useCallback(() => setRound((old) => old + 1), []) }
}
