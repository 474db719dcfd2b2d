import { useMemo, useState } from 'react'
import type { ConfigValues, RawConfig } from '../../../src/dashboard/api.ts'
import { SchemaForm } from '../forms/schema-form.tsx'
import { changedKeys, type FormField, fieldsOf, type Values } from '../forms/schema-model.ts'
import { ApiFailure } from '../net/api.ts'
import { useApp, useData, useDoing, useTold } from '../net/app.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { Empty, ErrorNote, Loaded, Note } from '../parts/notes.tsx'
import { Page, Row } from '../parts/page.tsx'

export function ConfigPage() {
  const [raw, setRaw] = useState(false)
  return (
    <Page
      title="Config"
      about="config.yaml: by a form, or as the text that it is."
      actions={<Button onPress={() => setRaw(!raw)}>{raw ? 'Show the form' : 'Edit the text'}</Button>}
    >
      {raw ? <RawView /> : <FormView />}
    </Page>
  )
}

function FormView() {
  const data = useData('GET config')
  return <Loaded data={data}>{(config) => <ConfigForm key={JSON.stringify(config.values)} config={config} onSaved={data.reload} />}</Loaded>
}

function ConfigForm({ config, onSaved }: { readonly config: ConfigValues; readonly onSaved: () => void }) {
  const { api } = useApp()
  const told = useTold()
  const { busy, error, run } = useDoing()
  const [values, setValues] = useState<Values>(config.values)
  const [text, setText] = useState('')
  const fields = useMemo(() => fieldsOf(config.schema), [config.schema])
  const found = useMemo(() => findFields(fields, text.trim().toLowerCase()), [fields, text])
  const changes = changedKeys(fields, config.values, values)
  const count = Object.keys(changes).length
  const save = () =>
    run(async () => {
      told(await api.ask('PUT config', { body: { changes } }))
      onSaved()
    })
  return (
    <form
      className="stack wide"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <TextField kind="search" label="Find a setting" value={text} onChange={setText} />
      <Shadowed shadowed={config.shadowed} />
      {found.length === 0 && <Empty title="No setting has this name">Try fewer letters.</Empty>}
      {found.map((group) => (
        <details key={group.path} open={text !== ''}>
          <summary>{group.label}</summary>
          <div className="stack more">
            <SchemaForm
              fields={group.kind === 'group' ? group.fields : [group]}
              values={values}
              onChange={setValues}
              faults={error instanceof ApiFailure ? error.fields : {}}
            />
          </div>
        </details>
      ))}
      <ErrorNote error={error} />
      <div className="line sticky">
        <Button look="primary" submit busy={busy} disabled={count === 0}>
          {count === 0 ? 'Save' : `Save ${count} ${count === 1 ? 'change' : 'changes'}`}
        </Button>
        {count > 0 && <Button onPress={() => setValues(config.values)}>Take back</Button>}
      </div>
    </form>
  )
}

/** Groups whose own words or fields have the text; of the latter only those that have it. */
function findFields(fields: readonly FormField[], text: string): readonly FormField[] {
  if (text === '') return fields
  return fields.flatMap((field) => {
    if (`${field.path} ${field.label} ${field.hint ?? ''}`.toLowerCase().includes(text)) return [field]
    const inside = findFields(field.fields, text)
    return inside.length > 0 ? [{ ...field, fields: inside }] : []
  })
}

function Shadowed({ shadowed }: Pick<ConfigValues, 'shadowed'>) {
  const names = Object.entries(shadowed)
  if (names.length === 0) return null
  return (
    <Note tone="warn">
      <p>{`What is set here waits while a variable stands for it: ${names.map(([key, name]) => `${key} by ${name}`).join(', ')}.`}</p>
    </Note>
  )
}

function RawView() {
  const data = useData('GET config/raw')
  return <Loaded data={data}>{(config) => <RawForm key={config.revision} config={config} onSaved={data.reload} />}</Loaded>
}

function RawForm({ config, onSaved }: { readonly config: RawConfig; readonly onSaved: () => void }) {
  const { api, tell } = useApp()
  const { busy, error, run } = useDoing()
  const [text, setText] = useState(config.text)
  const marks = error instanceof ApiFailure ? marksOf(error.body) : config.marks
  const save = () =>
    run(async () => {
      await api.ask('PUT config/raw', { body: { text, revision: config.revision } })
      tell('config.yaml is written.')
      onSaved()
    })
  return (
    <div className="stack">
      <div className="raw">
        <TextField label="config.yaml" rows={24} value={text} onChange={setText} />
      </div>
      {marks.length > 0 && (
        <ul className="rows">
          {marks.map(({ line, key, problem, level }) => (
            <Row
              key={`${line} ${key} ${problem}`}
              state={<Badge tone={level === 'error' ? 'bad' : 'warn'}>{`line ${line}`}</Badge>}
              name={<span className="mono">{key}</span>}
              about={problem}
            />
          ))}
        </ul>
      )}
      <ErrorNote error={error} {...(error instanceof ApiFailure && error.status === 409 && { retry: onSaved })} />
      <div className="line">
        <Button look="primary" busy={busy} disabled={text === config.text} onPress={save}>
          Save
        </Button>
      </div>
    </div>
  )
}

/** A text at fault is answered with its marks. */
function marksOf(body: unknown): RawConfig['marks'] {
  if (typeof body !== 'object' || body === null || !('marks' in body) || !Array.isArray(body.marks)) return []
  return body.marks
}
