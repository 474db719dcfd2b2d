import type { ReactNode } from 'react'
import { sayFailure } from '../net/api.ts'
import { Button } from './button.tsx'
import { useFailure } from './failures.tsx'

/** Nothing is here: what this would be, and one thing to do. */
export function Empty({ title, children, action }: { readonly title: string; readonly children?: ReactNode; readonly action?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children && <p className="prose">{children}</p>}
      {action}
    </div>
  )
}

/** What failed and what to do next. */
export function ErrorNote({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  if (error === undefined) return null
  return (
    <div className="note bad" role="alert">
      <p>{sayFailure(error)}</p>
      {retry && <Button onPress={retry}>Try again</Button>}
    </div>
  )
}

export function Note({ tone, children }: { readonly tone?: 'warn' | 'bad'; readonly children: ReactNode }) {
  return <div className={`note ${tone ?? ''}`}>{children}</div>
}

/** The shape of what comes; it appears only after 150 ms. */
export function Skeleton({ rows = 4 }: { readonly rows?: number }) {
  return (
    <div className="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => `row ${index}`).map((key) => (
        <span key={key} />
      ))}
    </div>
  )
}

export interface LoadedProps<T> {
  readonly data: { readonly value: T | undefined; readonly error: unknown; readonly reload: () => void }
  readonly children: (value: T) => ReactNode
}

/** Data of a page in all its states: loading, failed, and failed while older data is still shown. */
export function Loaded<T>({ data: { value, error, reload }, children }: LoadedProps<T>) {
  const { isTold, retry } = useFailure(error, reload)
  return (
    <>
      {isTold ? <p className="muted">It could not be read either: see above.</p> : <ErrorNote error={error} retry={retry} />}
      {value !== undefined ? children(value) : error === undefined && <Skeleton />}
    </>
  )
}
