import { useState } from 'react'
import { useApp, useData, useDoing, useTold } from '../net/app.ts'
import { Button } from '../parts/button.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { TextField } from '../parts/field.tsx'
import { Empty, ErrorNote, Loaded } from '../parts/notes.tsx'
import { Ago, Page, Row, Section } from '../parts/page.tsx'

interface Person {
  readonly platform: string
  readonly user: string
  readonly name: string
}

/** Who may write to the agent, and who asks for it. */
export function PeoplePage() {
  const data = useData('GET pairing', {}, 5000)
  const [out, setOut] = useState<Person>()
  return (
    <Page title="People" about="Who may write to the agent.">
      <Loaded data={data}>
        {({ pending, allowed }) => (
          <>
            <Section title="Asking to be let in" about="Each of them got a code from the agent. They tell it to you, and you type it here.">
              {pending.length === 0 ? (
                <Empty title="Nobody asks">Who writes to the agent for the first time is listed here.</Empty>
              ) : (
                <ul className="rows">
                  {pending.map((person) => (
                    <Row
                      key={`${person.platform} ${person.user}`}
                      state={person.platform}
                      name={person.name || person.user}
                      about={<Ago at={person.since} />}
                      end={<Decide person={person} onDone={data.reload} />}
                    />
                  ))}
                </ul>
              )}
            </Section>
            <Section title="Let in">
              {allowed.length === 0 ? (
                <Empty title="Nobody is let in by pairing">Lists of people in the settings of a platform hold as well.</Empty>
              ) : (
                <ul className="rows">
                  {allowed.map((person) => (
                    <Row
                      key={`${person.platform} ${person.user}`}
                      state={person.platform}
                      name={person.name || person.user}
                      about={person.role}
                      end={
                        <Button tiny look="plain" onPress={() => setOut(person)} label={`Take out ${person.name || person.user}`}>
                          Take out
                        </Button>
                      }
                    />
                  ))}
                </ul>
              )}
            </Section>
          </>
        )}
      </Loaded>
      {out && (
        <TakeOut
          person={out}
          onClose={() => setOut(undefined)}
          onDone={() => {
            setOut(undefined)
            data.reload()
          }}
        />
      )}
    </Page>
  )
}

/** Who has the code is let in; any other is refused, which makes their code worthless. */
function Decide({ person, onDone }: { readonly person: Person; readonly onDone: () => void }) {
  const { api } = useApp()
  const told = useTold()
  const { busy, error, run } = useDoing()
  const [code, setCode] = useState('')
  const { platform, user } = person
  const approve = () =>
    run(async () => {
      told(await api.ask('POST pairing/approve', { body: { platform, code: code.trim() } }))
      onDone()
    })
  const refuse = () =>
    run(async () => {
      told(await api.ask('POST pairing/revoke', { body: { platform, user } }))
      onDone()
    })
  return (
    <>
      <TextField label="Code" value={code} onChange={setCode} />
      <Button busy={busy} disabled={code.trim() === ''} onPress={approve}>
        Let in
      </Button>
      <Button look="plain" disabled={busy} onPress={refuse} label={`Refuse ${person.name || user}`}>
        Refuse
      </Button>
      <ErrorNote error={error} />
    </>
  )
}

function TakeOut({ person, onClose, onDone }: { readonly person: Person; readonly onClose: () => void; readonly onDone: () => void }) {
  const { api } = useApp()
  const told = useTold()
  const { busy, error, run } = useDoing()
  const revoke = () =>
    run(async () => {
      told(await api.ask('POST pairing/revoke', { body: { platform: person.platform, user: person.user } }))
      onDone()
    })
  const name = person.name || person.user
  return (
    <Confirm title="Take out" action={`Take out ${name}`} busy={busy} error={error} onConfirm={revoke} onClose={onClose}>
      {`${name} can then no longer write to the agent on ${person.platform}, and has to pair again.`}
    </Confirm>
  )
}
