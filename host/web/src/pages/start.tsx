import { useApp, useData } from '../net/app.ts'
import { go } from '../net/route.ts'
import { useDraft } from '../net/use-draft.ts'
import { Button } from '../parts/button.tsx'
import { SelectField } from '../parts/field.tsx'
import { Loaded, Note } from '../parts/notes.tsx'
import { Page, Section } from '../parts/page.tsx'
import { type Choice, nameOf, ProviderForm, TestModel, useTrying } from './models.tsx'

/** The first run: a provider, its key, a real answer, and then the chat. Each step is filled in when it is opened again. */
export function StartPage() {
  const { api } = useApp()
  const setup = useData('GET setup')
  const [chosen, choose] = useDraft(`agent.start.${api.profile ?? ''}`)
  const [trying, setTrying] = useTrying(setup.value)
  return (
    <Page title="Welcome" about="Three steps, and the agent answers.">
      <Loaded data={setup}>
        {({ configured, provider = '', model = '' }) => (
          <>
            <Section title="1. A model that answers" about="A provider runs the model. Its key stays on this machine.">
              {configured && (
                <CurrentModel now={{ provider, model }} trying={trying} onChange={chosen === '' ? () => choose(provider) : undefined} />
              )}
              {(!configured || chosen !== '') && (
                <ChooseProvider chosen={chosen} onChoose={choose} onTry={setTrying} onDone={setup.reload} />
              )}
            </Section>
            <Section title="2. Try it" about="One short question, so that a wrong key is seen now.">
              {configured ? <TestModel /> : <p className="muted">First choose a provider.</p>}
            </Section>
            <Section title="3. Talk">
              <div className="line">
                {configured ? (
                  <Button look="primary" onPress={() => go('chat')}>
                    Begin to chat
                  </Button>
                ) : (
                  <Button onPress={() => go('chat')}>Look around with the offline model</Button>
                )}
              </div>
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  )
}

interface CurrentModelProps {
  readonly now: Choice
  readonly trying: Choice | undefined
  /** Absent while another one is being chosen. */
  readonly onChange: (() => void) | undefined
}

/** A model that is being tried stands there at once, and the one before again where it does not answer. */
function CurrentModel({ now, trying, onChange }: CurrentModelProps) {
  return (
    <Note>
      <strong>{nameOf(trying ?? now)}</strong>
      {trying ? <p>It is being tried …</p> : onChange && <Button onPress={onChange}>Change</Button>}
    </Note>
  )
}

interface ChooseProviderProps {
  readonly chosen: string
  readonly onChoose: (id: string) => void
  readonly onTry: (choice: Choice | undefined) => void
  readonly onDone: () => void
}

function ChooseProvider({ chosen, onChoose, onTry, onDone }: ChooseProviderProps) {
  const data = useData('GET model/options')
  return (
    <Loaded data={data}>
      {({ providers }) => {
        const provider = providers.find((one) => one.id === chosen)
        const choices = [...providers].sort((a, b) => a.name.localeCompare(b.name)).map((one) => ({ value: one.id, name: one.name }))
        return (
          <>
            <SelectField
              label="Provider"
              value={provider ? chosen : ''}
              choices={[{ value: '', name: 'Choose one …' }, ...choices]}
              onChange={onChoose}
            />
            {provider && <ProviderForm key={provider.id} provider={provider} onTry={onTry} onDone={onDone} onClose={() => onChoose('')} />}
          </>
        )
      }}
    </Loaded>
  )
}
