import { useState } from 'react'
import type { PluginRow } from '../../../src/dashboard/api.ts'
import { useApp, useDoing } from '../net/app.ts'
import { useAction } from '../net/use-action.ts'
import { ActionView } from '../parts/action-view.tsx'
import { Button } from '../parts/button.tsx'
import { CheckField } from '../parts/field.tsx'
import { ErrorNote } from '../parts/notes.tsx'

/** What can be done with a plugin that was installed: a newer version, the one before, and away with it. */
export function InstalledActions({ plugin: { id, name }, onDone }: { readonly plugin: PluginRow; readonly onDone: () => void }) {
  const { api } = useApp()
  const { busy, error, run } = useDoing()
  const [data, setData] = useState(false)
  const [sure, setSure] = useState(false)
  const [action, follow] = useAction(`agent.plugin-action.${id}`, onDone)
  const under = busy || action?.state === 'running'
  const update = (accept?: string) =>
    run(async () => follow(await api.ask('POST plugins/{id}/update', { params: { id }, body: accept === undefined ? {} : { accept } })))
  const back = () => run(async () => follow(await api.ask('POST plugins/{id}/rollback', { params: { id } })))
  const remove = () => run(async () => follow(await api.ask('POST plugins/{id}/remove', { params: { id }, body: { data } })))
  const wanted = action?.name === 'plugin-update' ? action.wantsAccept : undefined
  return (
    <div className="stack">
      <div className="line">
        <Button busy={under} onPress={() => update()}>
          Update
        </Button>
        <Button disabled={under} onPress={back}>
          Back to the version before
        </Button>
        <Button disabled={under} onPress={() => setSure(true)}>
          Remove
        </Button>
      </div>
      {sure && (
        <div className="note">
          <p>{`${name} and its settings go away.`}</p>
          <CheckField label="And what it has stored" checked={data} onChange={setData} />
          <div className="line">
            <Button look="danger" busy={under} onPress={remove}>
              {`Remove ${name}`}
            </Button>
            <Button onPress={() => setSure(false)}>Keep</Button>
          </div>
        </div>
      )}
      <ErrorNote error={error} />
      {action && <ActionView action={action} />}
      {wanted !== undefined && (
        <Button look="primary" busy={under} onPress={() => update(wanted)}>
          Agree and update
        </Button>
      )}
    </div>
  )
}
