import { useState } from 'react'
import { useApp, useData, useDoing, useTold } from '../net/app.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { TextField } from '../parts/field.tsx'
import { ErrorNote, Loaded } from '../parts/notes.tsx'
import { Page, Row, Section } from '../parts/page.tsx'

/** Each profile is an agent apart: settings, sessions, platforms. */
export function ProfilesPage() {
  const { api } = useApp()
  const told = useTold()
  const data = useData('GET profiles')
  const making = useDoing()
  const removing = useDoing()
  const [name, setName] = useState('')
  const [out, setOut] = useState<string>()
  const make = () =>
    making.run(async () => {
      told(await api.ask('POST profiles', { body: { name: name.trim() } }))
      setName('')
      data.reload()
    })
  const remove = (profile: string) =>
    removing.run(async () => {
      told(await api.ask('DELETE profiles', { body: { name: profile } }))
      setOut(undefined)
      data.reload()
    })
  return (
    <Page title="Profiles" about="Each is an agent apart, with its settings, sessions and platforms.">
      <Loaded data={data}>
        {({ profiles }) => (
          <ul className="rows">
            {profiles.map((profile) => (
              <Row
                key={profile.name}
                state={<Badge tone={profile.running ? 'ok' : 'quiet'}>{profile.running ? 'running' : 'stopped'}</Badge>}
                name={profile.name}
                about={<span className="mono">{profile.home}</span>}
                end={
                  profile.current ? (
                    <Badge tone="ok">shown</Badge>
                  ) : (
                    <>
                      <a className="button tiny" href={`?profile=${encodeURIComponent(profile.name)}#/profiles`}>
                        Open
                      </a>
                      <Button tiny look="plain" onPress={() => setOut(profile.name)} label={`Delete ${profile.name}`}>
                        Delete
                      </Button>
                    </>
                  )
                }
              />
            ))}
          </ul>
        )}
      </Loaded>
      <Section title="New profile">
        <TextField label="Name" value={name} onChange={setName} hint="Small letters, digits, - and _." />
        <ErrorNote error={making.error} />
        <div className="line">
          <Button busy={making.busy} disabled={name.trim() === ''} onPress={make}>
            Make profile
          </Button>
        </div>
      </Section>
      {out && (
        <Confirm
          title="Delete profile"
          action={`Delete ${out}`}
          busy={removing.busy}
          error={removing.error}
          onConfirm={() => remove(out)}
          onClose={() => setOut(undefined)}
        >
          Its settings, keys and sessions are gone for good.
        </Confirm>
      )}
    </Page>
  )
}
