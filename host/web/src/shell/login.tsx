import { type FormEvent, useEffect, useRef, useState } from 'react'
import { type Api, ApiFailure } from '../net/api.ts'
import { useDoing } from '../net/app.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/field.tsx'
import { ErrorNote, Note } from '../parts/notes.tsx'

export interface LoginPageProps {
  readonly api: Api
  /** The page was open, and its login has ended. */
  readonly ended: boolean
  readonly onDone: () => void | Promise<void>
}

/** Stands before everything else until this browser has logged in. */
export function LoginPage({ api, ended, onDone }: LoginPageProps) {
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const { busy, error, run } = useDoing()
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    document.title = 'Log in · agent'
    focusOn(form.current, 0)
  }, [])
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
  return (
    <main className="login">
      <form className="card" ref={form} onSubmit={logIn} aria-labelledby="login-title">
        <h1 id="login-title">Log in</h1>
        {ended ? (
          <Note tone="warn">Your login has ended. Log in again, and this page goes on where it was.</Note>
        ) : (
          <p className="muted">This is the dashboard of an agent. Only the people who keep it get in.</p>
        )}
        <TextField label="Name" value={username} onChange={setUsername} complete="username" required />
        <TextField label="Password" kind="password" value={password} onChange={setPassword} complete="current-password" required />
        <ErrorNote error={told(error)} />
        <Button look="primary" submit busy={busy}>
          Log in
        </Button>
      </form>
    </main>
  )
}

function focusOn(form: HTMLFormElement | null, field: number): void {
  form?.querySelectorAll('input')[field]?.focus()
}

function told(error: unknown): unknown {
  const isLimited = error instanceof ApiFailure && error.status === 429
  return isLimited ? new Error('Too many tries came from here. Wait a minute, then try again.') : error
}
