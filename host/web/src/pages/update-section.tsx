import { useState } from 'react'
import type { Action, UpdateState } from '../../../src/dashboard/api.ts'
import { useApp, useData, useDoing } from '../net/app.ts'
import { useAction } from '../net/use-action.ts'
import { ActionView } from '../parts/action-view.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorNote, Loaded, Note } from '../parts/notes.tsx'
import { Section } from '../parts/page.tsx'

/** What runs, and what is newer when somebody asks: nothing looks by itself. */
export function UpdateSection() {
  const data = useData('GET agent/update')
  return (
    <Section title="Version">
      <Loaded data={data}>{(state) => <Version state={state} onDone={data.reload} />}</Loaded>
    </Section>
  )
}

function Version({ state, onDone }: { readonly state: UpdateState; readonly onDone: () => void }) {
  const { version, installed, otherwise } = state
  return (
    <>
      <p>
        agent <span className="figures">{version}</span>
      </p>
      {installed !== version && (
        <Note tone="warn">
          <p>
            agent {installed} is installed. This dashboard runs {version} until it starts again
            {state.mayRestart ? (
              '.'
            ) : (
              <>
                : <code>agent dashboard --stop</code> ends it.
              </>
            )}
          </p>
          {state.mayRestart && <Restart />}
        </Note>
      )}
      {otherwise === undefined ? <UpdateActions state={state} onDone={onDone} /> : <p className="muted prose">{otherwise}</p>}
    </>
  )
}

/** The page loses its connection, and finds the new one by itself. */
function Restart() {
  const { api } = useApp()
  const { busy, error, run } = useDoing()
  return (
    <>
      <Button busy={busy} onPress={() => run(() => api.ask('POST dashboard/restart'))}>
        Restart the dashboard
      </Button>
      <ErrorNote error={error} />
    </>
  )
}

/** They go on when the page is left; who comes back finds them by the name that this browser keeps. */
function UpdateActions({ state, onDone }: { readonly state: UpdateState; readonly onDone: () => void }) {
  const { api } = useApp()
  const { busy, error, run } = useDoing()
  const [isAsking, setAsking] = useState(false)
  const [action, follow] = useAction('agent.update', onDone)
  const under = busy || action?.state === 'running'
  const look = () => run(async () => follow(await api.ask('POST agent/update/check')))
  const update = () => {
    setAsking(false)
    run(async () => follow(await api.ask('POST agent/update')))
  }
  return (
    <>
      <div className="line">
        <Button disabled={under} onPress={look}>
          Look for an update
        </Button>
        <Button busy={under && action?.name === 'agent-update'} disabled={under} onPress={() => setAsking(true)}>
          Update agent
        </Button>
      </div>
      <ErrorNote error={error} />
      {action && <ActionView action={action} />}
      {action && <Failure action={action} />}
      {isAsking && (
        <Dialog title="Update agent?" onClose={() => setAsking(false)}>
          <WhatHappens {...state} />
          <div className="line">
            <Button look="primary" onPress={update}>
              Update now
            </Button>
            <Button onPress={() => setAsking(false)}>Not now</Button>
          </div>
        </Dialog>
      )}
    </>
  )
}

/** The sentence with which a command ends that did not do its work. */
function Failure({ action: { state, tail } }: { readonly action: Action }) {
  const said = tail.at(-1)
  if (state !== 'failed' || said === undefined) return null
  return (
    <Note tone="bad">
      <p>{said.replace(/^agent: /, '')}</p>
    </Note>
  )
}

const copies = {
  off: 'No copy of the home is made first: updates.pre_update_backup is off.',
  quick: 'First settings, secrets, memory and conversations are copied into the backups of the home.',
  full: 'First the whole home is copied into its backups, with skills and plugins.',
} as const

const edits = {
  stash:
    'What was changed here in the files of the program is put aside and brought back afterwards; what no longer fits stays in git stash.',
  discard: 'What was changed here in the files of the program is left out, and stays in git stash.',
} as const

function WhatHappens({ backup, localChanges }: UpdateState) {
  return (
    <ul className="prose">
      <li>{copies[backup]}</li>
      <li>{edits[localChanges]}</li>
      <li>
        Then the new version comes with its packages and is built, which takes some minutes. Where a step fails, everything is as before.
      </li>
      <li>Gateway and dashboard run the old version until they are started again.</li>
    </ul>
  )
}
