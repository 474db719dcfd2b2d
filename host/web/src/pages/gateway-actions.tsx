import { useApp, useDoing } from '../net/app.ts'
import { useAction } from '../net/use-action.ts'
import { ActionView } from '../parts/action-view.tsx'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/notes.tsx'

/** Starting and restarting go on when the page is left; who comes back finds them by the name that this browser keeps. */
export function GatewayActions({ running, onDone }: { readonly running: boolean; readonly onDone: () => void }) {
  const { api } = useApp()
  const { busy, error, run } = useDoing()
  const [action, follow] = useAction('agent.action', onDone)
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
