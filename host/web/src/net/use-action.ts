import { useEffect, useRef, useState } from 'react'
import type { Action } from '../../../src/dashboard/api.ts'
import { ApiFailure } from './api.ts'
import { useApp } from './app.ts'

const pause = 800

/** An action that goes on when the page is left; who comes back finds it by the name that this browser keeps under `memory`. */
export function useAction(memory: string, onDone: (ended: Action) => void): readonly [Action | undefined, (action: Action) => void] {
  const { api } = useApp()
  const [action, setAction] = useState<Action>()
  const [name, setName] = useState(() => sessionStorage.getItem(memory) ?? undefined)
  const done = useRef(onDone)
  done.current = onDone
  useEffect(() => {
    if (name === undefined) return
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      api.ask('GET actions/{name}/status', { params: { name }, signal: stop.signal }).then(
        (next) => {
          setAction(next)
          if (next.state === 'running') timer = setTimeout(look, pause)
          else {
            sessionStorage.removeItem(memory)
            setName(undefined)
            done.current(next)
          }
        },
        (error: unknown) => {
          if (stop.signal.aborted) return
          // The server may be away while it restarts; what it has forgotten is not under way.
          if (!(error instanceof ApiFailure) || error.status !== 404) timer = setTimeout(look, pause)
          else {
            sessionStorage.removeItem(memory)
            setAction(undefined)
            setName(undefined)
          }
        },
      )
    }
    look()
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [api, memory, name])
  return [
    action,
    (begun) => {
      setAction(begun)
      sessionStorage.setItem(memory, begun.name)
      setName(begun.name)
    },
  ]
}
