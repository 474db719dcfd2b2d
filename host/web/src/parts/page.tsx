import type { ReactNode } from 'react'
import { FailureGround } from './failures.tsx'

export interface PageProps {
  readonly title: string
  readonly about?: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function Page({ title, about, actions, children }: PageProps) {
  return (
    <div className="page">
      <header>
        <div className="grow">
          <h1>{title}</h1>
          {about && <p>{about}</p>}
        </div>
        {actions}
      </header>
      <FailureGround>{children}</FailureGround>
    </div>
  )
}

export function Section({ title, about, children }: { readonly title: string; readonly about?: string; readonly children: ReactNode }) {
  return (
    <section>
      <div>
        <h2>{title}</h2>
        {about && <p className="muted">{about}</p>}
      </div>
      {children}
    </section>
  )
}

/** A row of a list: state in a fixed column, name and description, time or actions at the right. */
export function Row({ state, name, about, end }: RowProps) {
  return (
    <li>
      <div className="row">
        {state && <div className="state">{state}</div>}
        <div className="grow">
          <div>{name}</div>
          {about && <div className="muted small">{about}</div>}
        </div>
        {end && <div className="end">{end}</div>}
      </div>
    </li>
  )
}

export interface RowProps {
  readonly state?: ReactNode
  readonly name: ReactNode
  readonly about?: ReactNode
  readonly end?: ReactNode
}

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

/** `3 minutes ago`; the exact time is the title. */
export function Ago({ at }: { readonly at: number }) {
  const passed = at - Date.now()
  const [unit, size] = steps.find(([, length]) => Math.abs(passed) >= length) ?? ['minute', 60_000]
  const text = new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(Math.round(passed / size), unit)
  return (
    <time className="muted small figures" dateTime={new Date(at).toISOString()} title={new Date(at).toLocaleString()}>
      {text}
    </time>
  )
}
