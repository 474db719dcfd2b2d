import { useState } from 'react'
import { useData } from '../net/app.ts'
import { go } from '../net/route.ts'
import { Button } from '../parts/button.tsx'
import { SelectField } from '../parts/field.tsx'
import { Loaded, Note } from '../parts/notes.tsx'
import { Page, Section } from '../parts/page.tsx'
import { ProviderForm, TestModel } from './models.tsx'

/** The first run: a provider, its key, a real answer, and then the chat. Each step is filled in when it is opened again. */
export function StartPage() {
  const setup = useData('GET setup')
  return (
    <Page title="Welcome" about="Three steps, and the agent answers.">
      <Loaded data={setup}>
        {({ configured, provider, model }) => (
          <>
            <Section title="1. A model that answers" about="A provider runs the model. Its key stays on this machine.">
              {configured ? (
                <Note>
                  <strong>{`${provider ?? ''} · ${model ?? ''}`}</strong>
                </Note>
              ) : (
                <ChooseProvider onDone={setup.reload} />
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

function ChooseProvider({ onDone }: { readonly onDone: () => void }) {
  const data = useData('GET model/options')
  const [id, setId] = useState('')
  return (
    <Loaded data={data}>
      {({ providers }) => {
        const provider = providers.find((one) => one.id === id)
        const choices = [...providers].sort((a, b) => a.name.localeCompare(b.name)).map((one) => ({ value: one.id, name: one.name }))
        return (
          <>
            <SelectField label="Provider" value={id} choices={[{ value: '', name: 'Choose one …' }, ...choices]} onChange={setId} />
            {provider && <ProviderForm key={provider.id} provider={provider} onDone={onDone} onClose={() => setId('')} />}
          </>
        )
      }}
    </Loaded>
  )
}
