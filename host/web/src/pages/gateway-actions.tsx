import { useEffect, useRef, useState } from 'react'
import type { Action } from '../../../src/dashboard/api.ts'
import { useApp, useDoing } from '../net/app.ts'
import { Badge, toneOf } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { ErrorNote } from '../parts/notes.tsx'

const memory = 'agent.action'
const pause = 800

/** Starting and restarting go on when the page is left; who comes back finds them by the name that this browser keeps. */
export function GatewayActions({ running, onDone }: { readonly running: boolean; readonly onDone: () => void }) {
  const { api } = useApp()
  const { busy, error, run } = useDoing()
  const [action, follow] = useAction(onDone)
  const begin = (what: 'start' | 'restart' | 'stop') => run(async () => follow(await api.ask(`POST gateway/${what}`)))
  const under = busy || action?.state === 'running'
  return (
    <>
      <div className="line">
        {running ? (
          <>
            <Button look="primary" busy={under} onPress={() => begin('restart')}>
              Restart gateway
            </Button>
            <Button disabled={under} onPress={() => begin('stop')}>
              Stop gateway
            </Button>
          </>
        ) : (
          <Button look="primary" busy={under} onPress={() => begin('start')}>
            Start gateway
          </Button>
        )}
      </div>
      <ErrorNote error={error} />
      {action && <ActionView action={action} />}
    </>
  )
}

function ActionView({ action: { name, state, tail } }: { readonly action: Action }) {
  return (
    <div className="stack">
      <div className="line">
        <Badge tone={state === 'running' ? 'warn' : toneOf(state)}>{state}</Badge>
        <span>{name}</span>
      </div>
      {tail.length > 0 && <CodeBlock wrap label={`output of ${name}`} text={tail.join('\n')} />}
    </div>
  )
}

function useAction(onDone: () => void): readonly [Action | undefined, (action: Action) => void] {
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
            done.current()
          }
        },
        () => {
          // The server may be away while it restarts, or may have forgotten the action.
          if (!stop.signal.aborted) setName(undefined)
        },
      )
    }
    look()
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [api, name])
  return [
    action,
    (begun) => {
      setAction(begun)
      sessionStorage.setItem(memory, begun.name)
      setName(begun.name)
    },
  ]
}
