import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { Login, LoginGate } from '../../../src/dashboard/api-auth.ts'
import { type Api, ApiFailure } from '../net/api.ts'
import { useDoing } from '../net/app.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { ErrorNote, Note } from '../parts/notes.tsx'

export interface LoginPageProps {
  readonly api: Api
  /** The page was open, and its login has ended. */
  readonly ended: boolean
  /** With what the browser came back from the identity provider, where that was no login. */
  readonly outcome?: string | undefined
  readonly onDone: () => void | Promise<void>
}

const limited = 'Too many tries came from here. Wait a minute, then try again.'
const outcomes: Readonly<Record<string, string>> = {
  refused: 'You are known there, but nobody has let you in here. Ask who keeps this dashboard.',
  limited,
  unusable: 'Nobody can log in that way now. Who keeps this dashboard finds the reason in its log.',
}

const lookEvery = 1500
/** A look that fails is followed by the next. */
const ignore = () => {}

/** Stands before everything else until this browser has logged in. */
export function LoginPage({ api, ended, outcome, onDone }: LoginPageProps) {
  const [ways, setWays] = useState<Login['ways']>()
  const asking = useDoing()
  const { run } = asking
  useEffect(() => {
    document.title = 'Log in · agent'
    run(async () => {
      const { ways: found } = await api.ask('GET auth/me')
      setWays(found)
    })
  }, [api, run])
  // The open page stays where it is: the provider is visited beside it, and here is seen when that is done.
  const waits = ended && linksOf(ways).length > 0
  useEffect(() => {
    if (!waits) return
    const look = () => void api.ask('GET auth/me').then(({ admitted }) => (admitted ? onDone() : undefined), ignore)
    const timer = setInterval(look, lookEvery)
    return () => clearInterval(timer)
  }, [api, waits, onDone])
  const failed = outcome && (outcomes[outcome] ?? 'The login did not succeed. Try again; the log of the dashboard says why.')
  return (
    <main className="login">
      <div className="card">
        <h1>Log in</h1>
        {ended ? (
          <Note tone="warn">Your login has ended. Log in again, and this page goes on where it was.</Note>
        ) : (
          <p className="muted">This is the dashboard of an agent. Only the people who keep it get in.</p>
        )}
        <ErrorNote error={failed || asking.error} />
        {ways && <Ways api={api} ways={ways} ended={ended} onDone={onDone} />}
      </div>
    </main>
  )
}

type WaysOf = NonNullable<Login['ways']>

/** Pages of others at which one may log in, with their addresses here. */
function linksOf(ways: WaysOf | undefined): readonly (readonly [name: string, address: string])[] {
  const gates = ways?.gates?.filter(({ way }) => way === 'redirect') ?? []
  return [
    ...(ways?.provider ? [[ways.provider, 'auth/login'] as const] : []),
    ...gates.map(({ name, label }) => [label, `auth/gate/${name.replace(':', '/')}/login`] as const),
  ]
}

interface WaysProps extends Pick<LoginPageProps, 'api' | 'ended' | 'onDone'> {
  readonly ways: WaysOf
}

/** One button for each page of others, and one form for each that asks for a name and a password. */
function Ways({ ways, ended, ...page }: WaysProps) {
  const links = linksOf(ways)
  const gates = ways.gates ?? []
  const forms = [...(ways.password ? [undefined] : []), ...gates.filter(({ way }) => way === 'password')]
  const to = encodeURIComponent(location.search + location.hash)
  const primary = links.length === 0 && forms.length === 1 ? 'primary' : undefined
  return (
    <>
      {gates
        .filter(({ way }) => way === undefined)
        .map(({ name }) => (
          <Note key={name} tone="warn">
            Nobody gets in by {name} now: it is not installed or does not run. The log of the dashboard says more.
          </Note>
        ))}
      {links.map(([name, address], at) => (
        <a
          key={address}
          className={at === 0 ? 'button primary' : 'button'}
          href={`${address}?to=${to}`}
          target={ended ? '_blank' : undefined}
          rel="noreferrer"
        >
          Log in with {name}
        </a>
      ))}
      {forms.map((gate, at) => (
        <PasswordForm key={gate?.name ?? ''} {...page} gate={gate} look={primary} isFirst={at === 0} isOneOfSeveral={forms.length > 1} />
      ))}
    </>
  )
}

interface PasswordFormProps extends Pick<LoginPageProps, 'api' | 'onDone'> {
  readonly look: 'primary' | undefined
  /** The gate of a plugin that is asked; absent: the name and the password of this dashboard. */
  readonly gate: LoginGate | undefined
  readonly isFirst: boolean
  /** Then it says above its fields whose name and password it asks for. */
  readonly isOneOfSeveral: boolean
}

function PasswordForm({ api, gate, look, isFirst, isOneOfSeveral, onDone }: PasswordFormProps) {
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const { busy, error, run } = useDoing()
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (isFirst) focusOn(form.current, 0)
  }, [isFirst])
  const logIn = (event: FormEvent) => {
    event.preventDefault()
    run(async () => {
      try {
        await api.ask('POST auth/login', { body: { username, password, ...(gate ? { gate: gate.name } : {}) } })
      } catch (failure) {
        setPassword('')
        focusOn(form.current, 1)
        throw failure
      }
      await onDone()
    })
  }
  const title = gate ? `Log in with ${gate.label}` : 'Log in'
  const told = error instanceof ApiFailure && error.status === 429 ? new Error(limited) : error
  return (
    <form ref={form} onSubmit={logIn} aria-label={title}>
      {isOneOfSeveral && <h2>{gate ? gate.label : 'Name and password of this dashboard'}</h2>}
      <TextField label="Name" value={username} onChange={setUsername} complete="username" required />
      <TextField label="Password" kind="password" value={password} onChange={setPassword} complete="current-password" required />
      <ErrorNote error={told} />
      <Button {...(look ? { look } : {})} submit busy={busy}>
        {title}
      </Button>
    </form>
  )
}

function focusOn(form: HTMLFormElement | null, field: number): void {
  form?.querySelectorAll('input')[field]?.focus()
}
