import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { Login } from '../../../src/dashboard/api.ts'
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
  const waits = ended && ways?.provider !== undefined
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
        {ways?.provider && (
          <a
            className="button primary"
            href={`auth/login?to=${encodeURIComponent(location.search + location.hash)}`}
            target={ended ? '_blank' : undefined}
            rel="noreferrer"
          >
            Log in with {ways.provider}
          </a>
        )}
        {ways?.password && <PasswordForm api={api} look={ways.provider ? undefined : 'primary'} onDone={onDone} />}
      </div>
    </main>
  )
}

interface PasswordFormProps extends Pick<LoginPageProps, 'api' | 'onDone'> {
  readonly look: 'primary' | undefined
}

function PasswordForm({ api, look, onDone }: PasswordFormProps) {
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const { busy, error, run } = useDoing()
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => focusOn(form.current, 0), [])
  const logIn = (event: FormEvent) => {
    event.preventDefault()
    run(async () => {
      try {
        await api.ask('POST auth/login', { body: { username, password } })
      } catch (failure) {
        setPassword('')
        focusOn(form.current, 1)
        throw failure
      }
      await onDone()
    })
  }
  const told = error instanceof ApiFailure && error.status === 429 ? new Error(limited) : error
  return (
    <form ref={form} onSubmit={logIn}>
      <TextField label="Name" value={username} onChange={setUsername} complete="username" required />
      <TextField label="Password" kind="password" value={password} onChange={setPassword} complete="current-password" required />
      <ErrorNote error={told} />
      <Button {...(look ? { look } : {})} submit busy={busy}>
        Log in
      </Button>
    </form>
  )
}

function focusOn(form: HTMLFormElement | null, field: number): void {
  form?.querySelectorAll('input')[field]?.focus()
}
