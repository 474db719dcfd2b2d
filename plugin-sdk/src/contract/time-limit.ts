import { setMaxListeners } from 'node:events'
import type { Clock } from './context.ts'
import { fail } from './errors.ts'

/** One signal for several: it fires with the first of them, with that one's reason. */
export interface LinkedSignals extends Disposable {
  readonly signal: AbortSignal
  abort(reason: unknown): void
}

/**
 * Ties signals together until one fires or the link is disposed of.
 * `AbortSignal.any` of Node 20 holds its sources weakly, so that a timeout nobody else holds never fires once garbage was collected.
 */
export function linkSignals(...signals: readonly (AbortSignal | undefined)[]): LinkedSignals {
  const controller = new AbortController()
  const sources = signals.flatMap((signal) => (signal ? findSources(signal) : []))
  const unlink = (): void => {
    for (const source of sources) source.removeEventListener('abort', onAbort)
  }
  const abort = (reason: unknown): void => {
    unlink()
    controller.abort(reason)
  }
  const onAbort = ({ target }: Event): void => abort((target as AbortSignal).reason)
  const fired = sources.find((source) => source.aborted)
  if (fired) abort(fired.reason)
  else for (const source of sources) listen(source, onAbort)
  return { signal: controller.signal, abort, [Symbol.dispose]: unlink }
}

function listen(signal: AbortSignal, onAbort: (event: Event) => void): void {
  // A life that many calls hang on is no leak.
  setMaxListeners(0, signal)
  signal.addEventListener('abort', onAbort, { once: true })
}

/** The signal, and what it was made of where `AbortSignal.any` made it: Node keeps weak references to these, in its own classes. */
function findSources(signal: AbortSignal): readonly AbortSignal[] {
  const key = Object.getOwnPropertySymbols(signal).find((symbol) => symbol.description === 'kSourceSignals')
  const kept = (key === undefined ? [] : Reflect.get(signal, key)) as Iterable<Pick<WeakRef<AbortSignal>, 'deref'>>
  return [signal, ...[...kept].flatMap((reference) => reference.deref() ?? [])]
}

/** How long something may take, in milliseconds of a clock, and what it is called when it takes longer. */
export interface TimeLimit {
  readonly clock: Clock
  /** Ends the work early, with its own reason. */
  readonly signal?: AbortSignal | undefined
  readonly ms: number
  /** Names the work in the error TIMED_OUT. */
  readonly what: string
  /** How long work may go on after its signal has fired, to say what became of it. Without it nobody waits, and nothing begins after the signal. */
  readonly graceMs?: number
}

/**
 * Runs work whose signal fires when the caller's does or the time is over, and rejects then, whatever the work does.
 * `onLate` gets a result that came when nobody waited any more.
 */
export function withTimeLimit<T>(
  { clock, signal, ms, what, graceMs = 0 }: TimeLimit,
  run: (signal: AbortSignal) => Promise<T>,
  onLate?: (value: T) => void,
): Promise<T> {
  const link = linkSignals(signal)
  const over = new AbortController()
  return new Promise<T>((resolve, reject) => {
    let left = false
    const end = (): void => {
      link[Symbol.dispose]()
      over.abort('over')
    }
    const leave = (): void => {
      left = true
      end()
      reject(link.signal.reason)
    }
    const onAbort = (): void => {
      if (graceMs === 0) leave()
      else clock.sleep(graceMs, over.signal).then(leave, () => undefined)
    }
    if (link.signal.aborted) onAbort()
    if (left) return
    link.signal.addEventListener('abort', onAbort, { once: true })
    clock.sleep(ms, over.signal).then(
      () => link.abort(fail('TIMED_OUT', { what, ms })),
      () => undefined,
    )
    const settle = (value: T): void => {
      end()
      if (left) onLate?.(value)
      else resolve(value)
    }
    const work = (async () => run(link.signal))()
    work.then(settle, (error: unknown) => {
      end()
      reject(error)
    })
  })
}

/** Whether work is over within the time, however it ends. False too when the signal fires first. */
export function isOverWithin({ clock, signal, ms }: Pick<TimeLimit, 'clock' | 'signal' | 'ms'>, work: Promise<unknown>): Promise<boolean> {
  const over = work.then(
    () => true,
    () => true,
  )
  return withTimeLimit({ clock, signal, ms, what: 'Waiting' }, () => over).catch(() => false)
}
