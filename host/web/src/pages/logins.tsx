import { type ReactNode, useEffect, useState } from 'react'
import type { LoginStep, ModelLogin } from '../../../src/dashboard/api-logins.ts'
import { ApiFailure } from '../net/api.ts'
import { useApp, useData, useDoing, useTold } from '../net/app.ts'
import { Badge, type Tone } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { Empty, ErrorNote, Loaded, Note } from '../parts/notes.tsx'
import { Row, Section } from '../parts/page.tsx'
import { ShownStep } from './login-step.tsx'

interface Shown {
  readonly provider: ModelLogin
  /** The list is asked again. */
  readonly onChange: () => void
}

/** Providers that one logs in to. A login goes on when the page is left, and the list finds it again. */
export function LoginsSection({ onChange }: { readonly onChange: () => void }) {
  const data = useData('GET providers/oauth')
  const changed = () => {
    data.reload()
    onChange()
  }
  return (
    <Section title="Logins" about="Some providers know you by a login instead of a key, and some by either.">
      <Loaded data={data}>
        {({ providers }) =>
          providers.length === 0 ? (
            <Empty title="No provider has a login">Plugins bring them: turn one on under Plugins.</Empty>
          ) : (
            <ul className="rows">
              {[...providers].sort(byUse).map((provider) => (
                <LoginRow key={provider.id} provider={provider} onChange={changed} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  )
}

const rank = ({ step, state, needs }: ModelLogin): number => (step ? 0 : state !== 'none' ? 1 : needs === undefined ? 2 : 3)

function byUse(a: ModelLogin, b: ModelLogin): number {
  return rank(a) - rank(b) || a.name.localeCompare(b.name)
}

const states: Readonly<Record<ModelLogin['state'], readonly [Tone, string]>> = {
  none: ['quiet', 'no login'],
  good: ['ok', 'logged in'],
  renews: ['ok', 'logged in'],
  ended: ['bad', 'ended'],
}

const ways: Readonly<Record<ModelLogin['kinds'][number], string>> = {
  'device-code': 'By a code that you type in at the provider.',
  pkce: 'By a page of the provider.',
  cli: 'By the login of another program, which is read where it lies.',
  key: '',
}

function aboutOf({ state, detail, expiresAt, needs, kinds, inherited }: ModelLogin): string {
  const place = inherited ? ' It belongs to the home around this profile.' : ''
  if (state === 'good' && expiresAt !== undefined) return `Good until ${new Date(expiresAt).toLocaleString()}.${place}`
  if (state !== 'none') return `${detail ?? ''}${place}`
  return needs ?? ways[kinds[0] ?? 'key']
}

function LoginRow({ provider, onChange }: Shown) {
  const { api } = useApp()
  const { busy, error, run } = useDoing()
  const [leaves, setLeaves] = useState(false)
  const { id, name, step, state, needs, inherited } = provider
  const [tone, word] = states[state]
  const begin = () =>
    run(async () => {
      await api.ask('POST providers/oauth/{id}/start', { params: { id } })
      onChange()
    })
  const verb = state === 'none' ? 'Log in' : 'Log in again'
  return (
    <>
      <Row
        state={<Badge tone={tone}>{word}</Badge>}
        name={name}
        about={aboutOf(provider)}
        end={
          <>
            {state !== 'none' && !inherited && (
              <Button tiny look="plain" onPress={() => setLeaves(true)} label={`Log out of ${name}`}>
                Log out
              </Button>
            )}
            {needs === undefined && (step === undefined || isOver(step)) && (
              <Button tiny busy={busy} onPress={begin} label={`${verb}: ${name}`}>
                {verb}
              </Button>
            )}
          </>
        }
      />
      {(step !== undefined || error !== undefined) && (
        <li>
          <div className="card-inside">
            <ErrorNote error={error} />
            {step &&
              (isOver(step) ? <Outcome provider={provider} step={step} onChange={onChange} /> : <UnderWay {...{ provider, onChange }} />)}
          </div>
        </li>
      )}
      {leaves && <LogOut provider={provider} onChange={onChange} onClose={() => setLeaves(false)} />}
    </>
  )
}

type Over = Extract<LoginStep, { readonly type: 'done' | 'failed' }>
const isOver = (step: LoginStep): step is Over => step.type === 'done' || step.type === 'failed'

const pause = 1000

function UnderWay({ provider: { id, name, step: first }, onChange }: Shown) {
  const { value: step = first, error } = useData('GET providers/oauth/{id}', { params: { id } }, pause)
  // A dashboard that was started again knows nothing of it.
  const isGone = error instanceof ApiFailure && error.status === 404
  const ended = isGone || (step !== undefined && isOver(step))
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is asked again once, when it has ended.
  useEffect(() => {
    if (ended) onChange()
  }, [ended])
  return (
    <div className="stack" role="status" aria-label={`Login to ${name}`}>
      {step && <ShownStep id={id} name={name} step={step} />}
      {!isGone && <ErrorNote error={error} />}
      <Forget id={id} onChange={onChange}>
        Give up
      </Forget>
    </div>
  )
}

function Outcome({ provider: { id }, step, onChange }: Shown & { readonly step: Over }) {
  return (
    <div className="stack">
      {step.type === 'failed' ? (
        <Note tone="bad">
          <p>{step.message}</p>
        </Note>
      ) : (
        <Note {...(!step.answers && { tone: 'warn' as const })}>
          {step.said.map((line) => (
            <p key={line}>{line}</p>
          ))}
        </Note>
      )}
      <Forget id={id} onChange={onChange}>
        Dismiss
      </Forget>
    </div>
  )
}

/** Ends a login that is under way, and takes away how the last one ended. */
function Forget({ id, onChange, children }: { readonly id: string; readonly onChange: () => void; readonly children: ReactNode }) {
  const { api } = useApp()
  const { busy, error, run } = useDoing()
  const forget = () =>
    run(async () => {
      await api.ask('POST providers/oauth/{id}/cancel', { params: { id } })
      onChange()
    })
  return (
    <>
      <div className="line">
        <Button busy={busy} onPress={forget}>
          {children}
        </Button>
      </div>
      <ErrorNote error={error} />
    </>
  )
}

function LogOut({ provider: { id, name }, onChange, onClose }: Shown & { readonly onClose: () => void }) {
  const { api } = useApp()
  const told = useTold()
  const { busy, error, run } = useDoing()
  const leave = () =>
    run(async () => {
      told(await api.ask('POST providers/oauth/{id}/logout', { params: { id } }))
      onClose()
      onChange()
    })
  return (
    <Confirm title="Log out" action={`Log out of ${name}`} busy={busy} error={error} onConfirm={leave} onClose={onClose}>
      {`The login of ${name} is forgotten here. Models of it answer no more, unless a key for it is set.`}
    </Confirm>
  )
}
