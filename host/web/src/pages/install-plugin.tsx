import { useState } from 'react'
import type { PluginOffer } from '../../../src/dashboard/api.ts'
import { useApp, useData, useDoing } from '../net/app.ts'
import { useAction } from '../net/use-action.ts'
import { ActionView } from '../parts/action-view.tsx'
import { Button } from '../parts/button.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { TextField } from '../parts/field.tsx'
import { Empty, ErrorNote, Loaded, Note } from '../parts/notes.tsx'
import { Row } from '../parts/page.tsx'

interface Offered extends PluginOffer {
  readonly spec: string
}

/** Looks for plugins in the registry, shows what one declares, and installs it when somebody agrees. */
export function InstallPlugin({ onDone }: { readonly onDone: () => void }) {
  const { api, tell } = useApp()
  const [text, setText] = useState('')
  const [wanted, setWanted] = useState<string>()
  const [offer, setOffer] = useState<Offered>()
  const { busy, error, run } = useDoing()
  const [action, follow] = useAction('agent.plugin-install', ({ state }) => {
    if (state === 'done') tell('It is installed, and off until you turn it on.')
    onDone()
  })
  const look = (spec: string) =>
    run(async () => {
      const found = await api.ask('POST plugins/offer', { body: { spec } })
      setOffer({ spec, ...found })
      if (!found.consent && !found.problem) onDone()
    })
  return (
    <details>
      <summary>Install a plugin</summary>
      <form
        className="stack more"
        onSubmit={(event) => {
          event.preventDefault()
          setWanted(text.trim())
        }}
      >
        <TextField
          label="Search the registry, or name a package"
          value={text}
          onChange={setText}
          hint="A package as npm writes it: agent-plugin-dice, agent-plugin-dice@^1.0.0, git+https://…#commit or file:/path.tgz"
        />
        <div className="line">
          <Button submit>Search</Button>
          <Button busy={busy} disabled={text.trim() === ''} onPress={() => look(text.trim())}>
            Look at this package
          </Button>
        </div>
        <ErrorNote error={error} />
        {wanted !== undefined && <Found words={wanted} busy={busy} onLook={look} />}
        {action && <ActionView action={action} />}
      </form>
      {offer && (
        <OfferDialog
          offer={offer}
          onClose={() => setOffer(undefined)}
          onAgree={async (accept) => {
            follow(await api.ask('POST plugins/install', { body: { spec: offer.spec, accept } }))
            setOffer(undefined)
          }}
        />
      )}
    </details>
  )
}

interface FoundProps {
  readonly words: string
  readonly busy: boolean
  readonly onLook: (spec: string) => void
}

function Found({ words, busy, onLook }: FoundProps) {
  const data = useData('GET plugins/search', { query: { q: words } })
  return (
    <Loaded data={data}>
      {({ packages, problem }) => (
        <>
          {problem !== undefined && <Note tone="warn">{problem}</Note>}
          {packages.length === 0 && problem === undefined && <Empty title="The registry has no plugin that fits.">Try fewer words.</Empty>}
          <ul className="rows">
            {packages.map(({ name, version, description, medal, misfit }) => (
              <Row
                key={name}
                name={
                  <>
                    {name} <span className="muted small">{medal === undefined ? version : `${version} · ${medal}`}</span>
                  </>
                }
                about={misfit === undefined ? description : `${description} It ${misfit}.`}
                end={
                  <Button tiny busy={busy} label={`Look at ${name}`} onPress={() => onLook(name)}>
                    Look at it
                  </Button>
                }
              />
            ))}
          </ul>
        </>
      )}
    </Loaded>
  )
}

interface OfferProps {
  readonly offer: Offered
  readonly onAgree: (hash: string) => Promise<void>
  readonly onClose: () => void
}

function OfferDialog({ offer: { spec, consent, problem }, onAgree, onClose }: OfferProps) {
  const { busy, error, run } = useDoing()
  if (!consent)
    return (
      <Dialog title={spec} onClose={onClose}>
        {problem === undefined ? <p>It is installed: you agreed to what it declares before.</p> : <Note tone="bad">{problem}</Note>}
      </Dialog>
    )
  return (
    <Dialog title={`Install ${consent.plugin} ${consent.version}?`} onClose={onClose}>
      <CodeBlock wrap label="What it declares" text={consent.text} />
      <ErrorNote error={error} />
      <div className="line">
        <Button look="primary" busy={busy} onPress={() => run(() => onAgree(consent.hash))}>
          Agree and install
        </Button>
        <Button onPress={onClose}>Do not install</Button>
      </div>
    </Dialog>
  )
}
