import { useEffect, useState } from 'react'
import type { ModelInfo, ModelProvider, Tried } from '../../../src/dashboard/api.ts'
import { typedVariables, VariableFields } from '../forms/variable-fields.tsx'
import { useApp, useData, useDoing, useTold } from '../net/app.ts'
import { useDraft } from '../net/use-draft.ts'
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
  const [trying, setTrying] = useTrying(info.value)
  const reload = () => {
    info.reload()
    options.reload()
  }
  return (
    <Page title="Models" about="Who answers.">
      <Loaded data={info}>{(now) => <ModelNote now={now} trying={trying} />}</Loaded>
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
                        <ProviderForm provider={provider} onTry={setTrying} onDone={reload} onClose={() => setOpen(undefined)} />
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

export interface Choice {
  readonly provider: string
  readonly model: string
}

export const nameOf = ({ provider, model }: Choice): string => `${provider} · ${model}`

/** A model that is being tried stands there at once, and the one before again where it does not answer. */
function ModelNote({ now, trying }: { readonly now: ModelInfo; readonly trying: Choice | undefined }) {
  const { provider = '', model = '', offline, problem } = now
  if (trying)
    return (
      <Note>
        <strong>{nameOf(trying)}</strong>
        <p>It is being tried …</p>
      </Note>
    )
  return (
    <Note {...(problem && { tone: 'warn' as const })}>
      <strong>{offline ? 'The offline model stands in' : nameOf({ provider, model })}</strong>
      <p>
        {problem ??
          (offline ? 'Choose a provider below, so that a real model answers.' : 'This model answers, in chats that are open as well.')}
      </p>
      <TestModel />
    </Note>
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
  /** What is tried now; undefined where it is not taken. */
  readonly onTry: (choice: Choice | undefined) => void
  readonly onDone: () => void
  readonly onClose: () => void
}

/** Key and model of one provider. The key is written first, because a model can only be set where it can be asked. */
export function ProviderForm({ provider, onTry, onDone, onClose }: ProviderFormProps) {
  const { api } = useApp()
  const told = useTold()
  const { busy, error, run } = useDoing()
  const { typed, setTyped, model, setModel, forget } = useTyped(provider, api.profile)
  const [warning, setWarning] = useState<string>()
  const close = () => {
    forget()
    onClose()
  }
  const set = (confirm: boolean) =>
    run(async () => {
      onTry({ provider: provider.id, model })
      try {
        for (const [name, value] of Object.entries(typedVariables(provider.env, typed))) await api.ask('PUT env', { body: { name, value } })
        const done = await api.ask('POST model/set', { body: { provider: provider.id, model, ...(confirm && { confirm }) } })
        setWarning(done.warning)
        if (done.warning !== undefined) return onTry(undefined)
        told(done)
        onDone()
        close()
      } catch (failure) {
        onTry(undefined)
        throw failure
      }
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
        <Button onPress={close}>Cancel</Button>
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

/** The model that is tried now. It stands until it was refused, or the server names the one that answers. */
export function useTrying(now: unknown): readonly [Choice | undefined, (choice: Choice | undefined) => void] {
  const [trying, setTrying] = useState<Choice>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer of the server ends it.
  useEffect(() => setTrying(undefined), [now])
  return [trying, setTrying]
}

interface Draft {
  readonly model?: string
  /** By the names of variables; a secret stays on the screen alone. */
  readonly values?: Readonly<Record<string, string>>
}

/** What is typed into the form of a provider; it is filled in again after a reload. */
function useTyped({ id, env, models, current, defaultModel }: ModelProvider, profile: string | undefined) {
  const [draft, setDraft] = useDraft(`agent.provider.${profile ?? ''}.${id}`)
  const { model = (current ? undefined : defaultModel) ?? models[0] ?? '', values = {} }: Draft = draft === '' ? {} : JSON.parse(draft)
  const [secrets, setSecrets] = useState<Readonly<Record<string, string>>>({})
  const isSecret = (name: string) => env.some((variable) => variable.name === name && variable.secret)
  const keep = (change: Draft) => setDraft(JSON.stringify({ model, values, ...change }))
  const setTyped = (typed: Readonly<Record<string, string>>) => {
    const entries = Object.entries(typed)
    setSecrets(Object.fromEntries(entries.filter(([name]) => isSecret(name))))
    keep({ values: Object.fromEntries(entries.filter(([name]) => !isSecret(name))) })
  }
  const forget = () => {
    setSecrets({})
    setDraft('')
  }
  return { typed: { ...values, ...secrets }, setTyped, model, setModel: (next: string) => keep({ model: next }), forget }
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
