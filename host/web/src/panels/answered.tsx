import type { PanelBlock } from '@agent/plugin-sdk'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import { sayFailure } from '../net/api.ts'
import { ErrorNote, Loaded, type LoadedProps } from '../parts/notes.tsx'

interface Failure {
  readonly text: string
  readonly reload: () => void
}

interface Failures {
  /** In the order of the page. */
  readonly of: (text: string) => readonly (readonly [block: PanelBlock, failure: Failure])[]
  readonly tell: (block: PanelBlock, failure: Failure | undefined) => void
}

const FailuresOfPage = createContext<Failures>({ of: () => [], tell: () => undefined })

/** Knows what failed of a page, so that it says a reason once, however many of its blocks it keeps empty. */
export function FailureGround({ blocks, children }: { readonly blocks: readonly PanelBlock[]; readonly children: ReactNode }) {
  const [known, setKnown] = useState<ReadonlyMap<PanelBlock, Failure>>(new Map())
  const tell = useCallback((block: PanelBlock, failure: Failure | undefined) => {
    setKnown((old) => new Map([...old].filter(([each]) => each !== block).concat(failure ? [[block, failure]] : [])))
  }, [])
  const failures = useMemo((): Failures => {
    const all = blocks.flatMap((block) => {
      const failure = known.get(block)
      return failure ? [[block, failure] as const] : []
    })
    return { of: (text) => all.filter(([, failure]) => failure.text === text), tell }
  }, [blocks, known, tell])
  return <FailuresOfPage.Provider value={failures}>{children}</FailuresOfPage.Provider>
}

/** What was answered to a block. A reason that stands above it already is not said again; one button asks for all that it kept empty. */
export function Answered<T>({ block, data, children }: LoadedProps<T> & { readonly block: PanelBlock }) {
  const { of, tell } = useContext(FailuresOfPage)
  const { error, reload } = data
  const text = error === undefined ? undefined : sayFailure(error)
  useEffect(() => {
    if (text === undefined) return undefined
    tell(block, { text, reload })
    return () => tell(block, undefined)
  }, [block, text, reload, tell])
  const same = text === undefined ? [] : of(text)
  const [first] = same
  if (text === undefined || first === undefined) return <Loaded data={data}>{children}</Loaded>
  return (
    <>
      {first[0] === block ? (
        <ErrorNote error={error} retry={() => same.map(([, failure]) => failure.reload())} />
      ) : (
        <p className="muted">It could not be read either: see above.</p>
      )}
      {data.value !== undefined && children(data.value)}
    </>
  )
}
