import { useMemo, useState } from 'react'
import type { Platform, Tried } from '../../../src/dashboard/api.ts'
import { SchemaForm } from '../forms/schema-form.tsx'
import { fieldsOf, type Values } from '../forms/schema-model.ts'
import { clearedVariables, typedVariables, VariableFields } from '../forms/variable-fields.tsx'
import { ApiFailure } from '../net/api.ts'
import { useApp, useDoing, useTold } from '../net/app.ts'
import { hrefOf } from '../net/route.ts'
import { Badge, toneOf } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { CheckField } from '../parts/field.tsx'
import { Markdown } from '../parts/markdown.tsx'
import { ErrorNote, Note } from '../parts/notes.tsx'
import { Page, Section } from '../parts/page.tsx'

/** One platform: what its manifest asks for, what its schema allows, a test, and whether it runs. */
export function PlatformForm({ platform, onSaved }: { readonly platform: Platform; readonly onSaved: () => void }) {
  const { api } = useApp()
  const told = useTold()
  const saving = useDoing()
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [extra, setExtra] = useState<Values>(platform.extra)
  const [enabled, setEnabled] = useState(platform.enabled ?? true)
  const fields = useMemo(() => fieldsOf(platform.schema), [platform.schema])
  const faults = saving.error instanceof ApiFailure ? saving.error.fields : {}
  const save = (turnedOn: boolean) =>
    saving.run(async () => {
      const body = {
        enabled: turnedOn,
        env: typedVariables(platform.env, typed),
        clear_env: clearedVariables(platform.env, typed),
        extra,
      }
      told(await api.ask('PUT messaging/platforms/{id}', { params: { id: platform.platform }, body }))
      setTyped({})
      onSaved()
    })
  const needed = platform.env.filter(({ required }) => required)
  const optional = platform.env.filter(({ required }) => !required)
  return (
    <Page
      title={platform.name}
      about={platform.description}
      actions={
        <>
          <PlatformBadge platform={platform} />
          <a className="button" href={hrefOf('platforms')}>
            All platforms
          </a>
        </>
      }
    >
      {platform.problem && <Note tone={platform.needsAttention ? 'bad' : 'warn'}>{platform.problem}</Note>}
      <form
        className="stack wide"
        onSubmit={(event) => {
          event.preventDefault()
          save(enabled)
        }}
      >
        {needed.length > 0 && (
          <Section title="What it needs">
            <VariableFields variables={needed} values={typed} onChange={setTyped} faults={faults} />
          </Section>
        )}
        <CheckField
          label="Answer messages on this platform"
          checked={enabled}
          onChange={setEnabled}
          hint="Off: what is filled in stays, and nothing connects."
        />
        {(optional.length > 0 || fields.length > 0) && (
          <details>
            <summary>{`More settings (${optional.length + fields.length})`}</summary>
            <div className="stack more">
              <VariableFields variables={optional} values={typed} onChange={setTyped} faults={faults} />
              <SchemaForm fields={fields} values={extra} onChange={setExtra} faults={faults} />
            </div>
          </details>
        )}
        <ErrorNote error={saving.error} />
        <div className="line">
          <Button look="primary" submit busy={saving.busy}>
            Save
          </Button>
          <TestButton platform={platform} />
        </div>
      </form>
      <Guidance platform={platform} />
    </Page>
  )
}

function PlatformBadge({ platform: { configured, enabled, state } }: { readonly platform: Platform }) {
  if (!configured) return <Badge tone="quiet">not set up</Badge>
  return enabled === false ? <Badge tone="quiet">off</Badge> : <Badge tone={toneOf(state)}>{state}</Badge>
}

/** Tries what is saved: the platform itself says as whom it is connected. */
function TestButton({ platform }: { readonly platform: Platform }) {
  const { api } = useApp()
  const { busy, error, run } = useDoing()
  const [tried, setTried] = useState<Tried>()
  const test = () =>
    run(async () => {
      setTried(undefined)
      setTried(await api.ask('POST messaging/platforms/{id}/test', { params: { id: platform.platform } }))
    })
  return (
    <>
      <Button busy={busy} disabled={!platform.configured} onPress={test}>
        Test
      </Button>
      {!platform.configured && <span className="muted small">Save what it needs, then test it.</span>}
      {tried && (
        <span className="line" role="status">
          <Badge tone={tried.ok ? 'ok' : 'bad'}>{tried.ok ? 'works' : 'does not work'}</Badge>
          {tried.detail}
        </span>
      )}
      <ErrorNote error={error} />
    </>
  )
}

function Guidance({ platform: { guidance, docsUrl, plugin } }: { readonly platform: Platform }) {
  return (
    <Section title="Good to know">
      {guidance !== '' && <Markdown text={guidance} />}
      <p className="muted small">
        From the plugin {plugin}.{' '}
        {docsUrl && (
          <a href={docsUrl} target="_blank" rel="noreferrer noopener">
            How to set it up
          </a>
        )}
      </p>
    </Section>
  )
}
