import { useState } from 'react'
import type { Variable } from '../../../src/dashboard/api.ts'
import { useApp, useData, useDoing, useTold } from '../net/app.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { CheckField, TextField } from '../parts/field.tsx'
import { Empty, ErrorNote, Loaded } from '../parts/notes.tsx'
import { Page, Row } from '../parts/page.tsx'

/** Keys and other variables. A secret is shown only when it is asked for, one at a time. */
export function EnvironmentPage() {
  const data = useData('GET env')
  const [text, setText] = useState('')
  const [all, setAll] = useState(false)
  const [open, setOpen] = useState<Variable>()
  return (
    <Page title="Environment" about="Keys and other variables that the agent and its plugins read.">
      <Loaded data={data}>
        {({ variables, file }) => {
          const found = variables.filter(
            (each) =>
              (all || each.set) && `${each.name} ${each.prompt} ${each.usedBy.join(' ')}`.toLowerCase().includes(text.trim().toLowerCase()),
          )
          return (
            <>
              <TextField kind="search" label="Find a variable" value={text} onChange={setText} />
              <CheckField label="Also those that are not set" checked={all} onChange={setAll} />
              {found.length === 0 ? (
                <Empty title={text.trim() === '' ? 'No variable is set' : 'No variable fits'}>
                  {all ? 'Try fewer letters.' : 'Show those that are not set, too.'}
                </Empty>
              ) : (
                <ul className="rows">
                  {found.map((variable) => (
                    <Row
                      key={variable.name}
                      state={<Badge tone={variable.set ? 'ok' : 'quiet'}>{variable.set ? 'set' : 'not set'}</Badge>}
                      name={<span className="mono">{variable.name}</span>}
                      about={[
                        variable.prompt,
                        variable.usedBy.join(', '),
                        variable.shadowed ? 'hidden by the environment of the process' : '',
                      ]
                        .filter(Boolean)
                        .join(' · ')}
                      end={
                        <Button tiny onPress={() => setOpen(variable)} label={`Change ${variable.name}`}>
                          Change
                        </Button>
                      }
                    />
                  ))}
                </ul>
              )}
              <p className="muted small">
                They are kept in <code>{file}</code>.
              </p>
            </>
          )
        }}
      </Loaded>
      {open && (
        <VariableDialog
          variable={open}
          onClose={() => setOpen(undefined)}
          onDone={() => {
            setOpen(undefined)
            data.reload()
          }}
        />
      )}
    </Page>
  )
}

function VariableDialog({
  variable,
  onClose,
  onDone,
}: {
  readonly variable: Variable
  readonly onClose: () => void
  readonly onDone: () => void
}) {
  const { api } = useApp()
  const told = useTold()
  const { busy, error, run } = useDoing()
  const [value, setValue] = useState(variable.value ?? '')
  const [shown, setShown] = useState<string>()
  const { name } = variable
  const save = () =>
    run(async () => {
      told(await api.ask('PUT env', { body: { name, value } }))
      onDone()
    })
  const remove = () =>
    run(async () => {
      told(await api.ask('DELETE env', { body: { name } }))
      onDone()
    })
  const reveal = () => run(async () => setShown((await api.ask('POST env/reveal', { body: { name } })).value))
  return (
    <Dialog title={name} onClose={onClose}>
      <p>{variable.prompt}</p>
      {shown !== undefined && <code>{shown}</code>}
      <TextField
        label={variable.set ? 'New value' : 'Value'}
        kind={variable.secret ? 'password' : 'text'}
        value={value}
        onChange={setValue}
      />
      <ErrorNote error={error} />
      <div className="line">
        <Button look="primary" busy={busy} disabled={value === ''} onPress={save}>
          Save
        </Button>
        {variable.set && variable.secret && (
          <Button disabled={busy} onPress={reveal}>
            Show
          </Button>
        )}
        {variable.set && variable.source === 'file' && (
          <Button look="danger" disabled={busy} onPress={remove}>
            {`Remove ${name}`}
          </Button>
        )}
      </div>
    </Dialog>
  )
}
