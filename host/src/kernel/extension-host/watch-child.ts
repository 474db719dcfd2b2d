import { readFileSync } from 'node:fs'
import type { Clock } from '@agent/plugin-sdk'

export interface WatchOptions {
  readonly clock: Clock
  /** Answers with the child's memory in bytes. */
  readonly ping: () => Promise<number>
  readonly pid: () => number | undefined
  readonly capBytes: number
  readonly signal: AbortSignal
  /** Told once, in words; nothing is watched afterwards. */
  readonly onTrouble: (detail: string) => void
  readonly onMemory: (bytes: number) => void
  readonly pingEveryMs?: number
  readonly pingDeadlineMs?: number
  readonly sampleEveryMs?: number
}

/** Finds a child that hangs or takes too much memory. Heap caps of Node do not count buffers, so the whole process is looked at. */
export function watchChild(options: WatchOptions): void {
  const { signal, onTrouble } = options
  const over = new AbortController()
  const stop = (): void => over.abort()
  signal.addEventListener('abort', stop, { once: true })
  const trouble = (detail: string): void => {
    if (over.signal.aborted) return
    stop()
    onTrouble(detail)
  }
  void everySoOften(options.clock, options.sampleEveryMs ?? 1000, over.signal, async () => sample(options, trouble))
  void everySoOften(options.clock, options.pingEveryMs ?? 5000, over.signal, () => beat(options, trouble, over.signal))
}

async function everySoOften(clock: Clock, ms: number, signal: AbortSignal, run: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    const waited = await clock.sleep(ms, signal).then(
      () => true,
      () => false,
    )
    if (waited) await run()
  }
}

function sample({ pid, capBytes, onMemory }: WatchOptions, trouble: (detail: string) => void): void {
  const number = pid()
  const bytes = number === undefined ? undefined : readMemory(number)
  if (bytes === undefined) return
  onMemory(bytes)
  if (bytes > capBytes) trouble(`it took ${toMib(bytes)} MiB of memory, of ${toMib(capBytes)} MiB that it may take`)
}

async function beat(options: WatchOptions, trouble: (detail: string) => void, signal: AbortSignal): Promise<void> {
  const { clock, ping, capBytes, onMemory, pingDeadlineMs = 10_000 } = options
  const answered = new AbortController()
  const answer = ping().then(
    (bytes) => {
      answered.abort()
      onMemory(bytes)
      if (bytes > capBytes) trouble(`it took ${toMib(bytes)} MiB of memory, of ${toMib(capBytes)} MiB that it may take`)
    },
    // The link is gone: the end of the process tells more.
    () => answered.abort(),
  )
  const late = await clock.sleep(pingDeadlineMs, AbortSignal.any([answered.signal, signal])).then(
    () => true,
    () => false,
  )
  if (!late) return
  // When this process itself was held up, the answer lies in its pipe already.
  for (let turn = 0; turn < 3 && !answered.signal.aborted; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  if (answered.signal.aborted) await answer
  else trouble(`it did not answer for ${pingDeadlineMs / 1000} s`)
}

/** Resident memory in bytes; undefined where the system does not tell. */
export function readMemory(pid: number): number | undefined {
  try {
    const found = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))
    return found ? Number(found[1]) * 1024 : undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ESRCH') return undefined
    throw error
  }
}

const toMib = (bytes: number): number => Math.round(bytes / 1024 / 1024)
