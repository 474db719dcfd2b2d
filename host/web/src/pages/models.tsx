import { useState } from 'react'
import type { ModelProvider, Tried } from '../../../src/dashboard/api.ts'
import { typedVariables, VariableFields } from '../forms/variable-fields.tsx'
import { useApp, useData, useDoing, useTold } from '../net/app.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { SelectField, TextField } from '../parts/field.tsx'
import { Empty, ErrorNote, Loaded, Note } from '../parts/notes.tsx'
import { Page, Row, Section } from '../parts/page.tsx'
import { LoginsSection } from './logins.tsx'
import { SideTasks } from './side-tasks.tsx'

/** Which model answers, and what each provider needs. */
export function ModelsPage() {
  const info = useData('GET model/info')
  const options = useData('GET model/options')
  const [open, setOpen] = useState<string>()
  const reload = () => {
    info.reload()
    options.reload()
  }
  return (
    <Page title="Models" about="Who answers.">
      <Loaded data={info}>
        {({ provider, model, offline, problem }) => (
          <Note {...(problem && { tone: 'warn' as const })}>
            <strong>{offline ? 'The offline model stands in' : `${provider ?? ''} · ${model ?? ''}`}</strong>
            <p>{problem ?? (offline ? 'Choose a provider below, so that a real model answers.' : 'This model answers new chats.')}</p>
            <TestModel />
          </Note>
        )}
      </Loaded>
      <Section title="Providers">
        <Loaded data={options}>
          {({ providers }) =>
            providers.length === 0 ? (
              <Empty title="There is no provider">Plugins bring them: turn one on under Plugins.</Empty>
            ) : (
              <ul className="rows">
                {[...providers].sort(byUse).map((provider) =>
                  provider.id === open ? (
                    <li key={provider.id}>
                      <div className="card-inside">
                        <ProviderForm provider={provider} onDone={reload} onClose={() => setOpen(undefined)} />
                      </div>
                    </li>
                  ) : (
                    <Row
                      key={provider.id}
                      state={<ProviderBadge provider={provider} />}
                      name={provider.name}
                      about={provider.needs ?? provider.description}
                      end={
                        <Button tiny onPress={() => setOpen(provider.id)} label={`Choose ${provider.name}`}>
                          Choose
                        </Button>
                      }
                    />
                  ),
                )}
              </ul>
            )
          }
        </Loaded>
      </Section>
      <LoginsSection onChange={reload} />
      {/* Another model of the chat does the side tasks, too. */}
      <SideTasks key={`${info.value?.provider} ${info.value?.model}`} />
    </Page>
  )
}

function byUse(a: ModelProvider, b: ModelProvider): number {
  return Number(b.current) - Number(a.current) || Number(b.ready) - Number(a.ready) || a.name.localeCompare(b.name)
}

function ProviderBadge({ provider: { current, ready } }: { readonly provider: ModelProvider }) {
  if (current) return <Badge tone="ok">in use</Badge>
  return <Badge tone={ready ? 'ok' : 'quiet'}>{ready ? 'ready' : 'not set up'}</Badge>
}

export function TestModel() {
  const { api } = useApp()
  const { busy, error, run } = useDoing()
  const [tried, setTried] = useState<Tried>()
  return (
    <>
      <Button busy={busy} onPress={() => run(async () => setTried(await api.ask('POST model/test', { body: {} })))}>
        Ask it something
      </Button>
      {tried && (
        <span className="line" role="status">
          <Badge tone={tried.ok ? 'ok' : 'bad'}>{tried.ok ? 'answers' : 'does not answer'}</Badge>
          {tried.detail}
        </span>
      )}
      <ErrorNote error={error} />
    </>
  )
}

export interface ProviderFormProps {
  readonly provider: ModelProvider
  readonly onDone: () => void
  readonly onClose: () => void
}

/** Key and model of one provider. The key is written first, because a model can only be set where it can be asked. */
export function ProviderForm({ provider, onDone, onClose }: ProviderFormProps) {
  const { api } = useApp()
  const told = useTold()
  const { busy, error, run } = useDoing()
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [model, setModel] = useState(provider.defaultModel ?? provider.models[0] ?? '')
  const [warning, setWarning] = useState<string>()
  const set = (confirm: boolean) =>
    run(async () => {
      for (const [name, value] of Object.entries(typedVariables(provider.env, typed))) await api.ask('PUT env', { body: { name, value } })
      setTyped({})
      const done = await api.ask('POST model/set', { body: { provider: provider.id, model, ...(confirm && { confirm }) } })
      setWarning(done.warning)
      if (done.warning !== undefined) return
      told(done)
      onDone()
      onClose()
    })
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        set(false)
      }}
    >
      <h3>{provider.name}</h3>
      {provider.needs && <p className="muted">{provider.needs}</p>}
      <VariableFields variables={provider.env} values={typed} onChange={setTyped} />
      <ModelField provider={provider} model={model} onChange={setModel} />
      {warning === undefined && <ErrorNote error={error} />}
      <div className="line">
        <Button look="primary" submit busy={busy} disabled={model === ''}>
          Use this model
        </Button>
        <Button onPress={onClose}>Cancel</Button>
      </div>
      {warning !== undefined && (
        <Confirm
          title="This model is dear"
          action={`Use ${model} all the same`}
          busy={busy}
          error={error}
          onConfirm={() => set(true)}
          onClose={() => setWarning(undefined)}
        >
          {warning}
        </Confirm>
      )}
    </form>
  )
}

function ModelField({ provider, model, onChange }: { provider: ModelProvider; model: string; onChange: (model: string) => void }) {
  const [other, setOther] = useState(provider.models.length === 0)
  if (other) return <TextField label="Model" value={model} onChange={onChange} hint="Its id, as the provider writes it." />
  const choices = [...new Set([...(model === '' ? [] : [model]), ...provider.models])].map((id) => ({ value: id, name: id }))
  return (
    <SelectField
      label="Model"
      value={model}
      choices={[...choices, { value: '\0', name: 'Another one …' }]}
      onChange={(value) => (value === '\0' ? setOther(true) : onChange(value))}
    />
  )
}
