import { createContext, useCallback, useContext, useEffect, useRef, useState } from 'react'
import type { Answers, Api, Ask, GetRoute } from './api.ts'
import type { RpcSocket } from './socket.ts'

export interface App {
  readonly api: Api
  readonly socket: RpcSocket
  /** Opens a terminal of this size. */
  readonly openTerminal: (columns: number, rows: number) => Promise<WebSocket>
  /** Tells the person something at the edge of the screen. */
  readonly tell: (text: string, tone?: 'ok' | 'bad') => void
  /** Grows with each login in an open page, after which what failed is asked again. */
  readonly logins: number
}

export const AppContext = createContext<App | undefined>(undefined)

export function useApp(): App {
  const app = useContext(AppContext)
  if (app === undefined) throw new Error('useApp stands outside of the app.')
  return app
}

export interface Data<T> {
  readonly value: T | undefined
  readonly error: unknown
  readonly reload: () => void
}

/** What an address answers; older data stays until newer has come. `every`: milliseconds after which it is asked again. */
export function useData<R extends GetRoute>(route: R, ask: Ask = {}, every?: number): Data<Answers[R]> {
  const { api, logins } = useApp()
  const [state, setState] = useState<{ key: string; value: Answers[R] | undefined; error: unknown }>()
  const [round, setRound] = useState(0)
  const key = `${route} ${JSON.stringify([ask.params, ask.query])}`
  const latest = useRef(ask)
  latest.current = ask
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the address, and a round asks again.
  useEffect(() => {
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const load = () => {
      api.ask(route, { ...latest.current, signal: stop.signal }).then(
        (value) => {
          setState({ key, value, error: undefined })
          if (every) timer = setTimeout(load, every)
        },
        (error: unknown) => {
          if (stop.signal.aborted) return
          setState((old) => ({ key, value: old?.key === key ? old.value : undefined, error }))
          if (every) timer = setTimeout(load, every)
        },
      )
    }
    load()
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [api, route, key, every, round, logins])
  const reload = useCallback(() => setRound((old) => old + 1), [])
  return { value: state?.value, error: state?.key === key ? state.error : undefined, reload }
}

export interface Doing {
  readonly busy: boolean
  readonly error: unknown
  readonly run: (work: () => Promise<unknown>) => void
  readonly clear: () => void
}

/** One thing that a button starts: busy while it runs, its failure kept for the note beside the button. */
export function useDoing(): Doing {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const run = useCallback((work: () => Promise<unknown>) => {
    setBusy(true)
    setError(undefined)
    work().then(
      () => setBusy(false),
      (failure: unknown) => {
        setBusy(false)
        setError(failure)
      },
    )
  }, [])
  return { busy, error, run, clear: useCallback(() => setError(undefined), []) }
}

export interface Told {
  readonly said?: readonly string[]
  readonly live?: boolean
}

/** Says what a change did, and that a restart is needed where it is. */
export function useTold(): (changed: Told) => void {
  const { tell } = useApp()
  return useCallback(
    ({ said = [], live }: Told) => {
      const after = live === false ? ['The gateway takes it over at its next start.'] : []
      tell([...said, ...after].join(' ') || 'Saved.')
    },
    [tell],
  )
}
