import { createContext, type ReactNode, useCallback, useContext, useEffect, useId, useMemo, useState } from 'react'
import { sayFailure } from '../net/api.ts'

interface Failure {
  readonly text: string
  readonly reload: () => void
}

interface Failures {
  /** Those of the page with this reason, from its top to its end. */
  readonly of: (text: string) => readonly (readonly [id: string, failure: Failure])[]
  readonly tell: (id: string, failure: Failure | undefined) => void
  readonly forget: (id: string) => void
}

const nothing = () => undefined
const FailuresOfPage = createContext<Failures>({ of: () => [], tell: nothing, forget: nothing })

/** Knows what failed of a page, so that it says a reason once, however much it keeps empty. */
export function FailureGround({ children }: { readonly children: ReactNode }) {
  // A part has its place from when it is first drawn, so the order is that of the page.
  const [known, setKnown] = useState<ReadonlyMap<string, Failure | undefined>>(new Map())
  const tell = useCallback((id: string, failure: Failure | undefined) => setKnown((old) => new Map(old).set(id, failure)), [])
  const forget = useCallback((id: string) => setKnown((old) => new Map([...old].filter(([each]) => each !== id))), [])
  const failures = useMemo((): Failures => {
    const all = [...known].flatMap(([id, failure]) => (failure ? [[id, failure] as const] : []))
    return { of: (text) => all.filter(([, failure]) => failure.text === text), tell, forget }
  }, [known, tell, forget])
  return <FailuresOfPage.Provider value={failures}>{children}</FailuresOfPage.Provider>
}

/** Whether this reason stands above already, and what asks again for all that it keeps empty. */
export function useFailure(error: unknown, reload: () => void): { readonly isTold: boolean; readonly retry: () => void } {
  const { of, tell, forget } = useContext(FailuresOfPage)
  const id = useId()
  const text = error === undefined ? undefined : sayFailure(error)
  useEffect(() => tell(id, text === undefined ? undefined : { text, reload }), [id, text, reload, tell])
  useEffect(() => () => forget(id), [id, forget])
  const same = text === undefined ? [] : of(text)
  const [first] = same
  if (first === undefined || !same.some(([each]) => each === id)) return { isTold: false, retry: reload }
  return { isTold: first[0] !== id, retry: () => same.map(([, failure]) => failure.reload()) }
}
