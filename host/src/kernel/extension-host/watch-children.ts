import type { Clock } from '@agent/plugin-sdk'
import { type Programs, readMemory, readProcessor, readPrograms } from './process-readings.ts'

/** What is looked at of a child. */
export interface Watched {
  /** Answers with the child's memory in bytes. */
  readonly ping: () => Promise<number>
  readonly pid: () => number | undefined
  readonly capBytes: number
  /** While a plugin is loaded or connects, the processor may be busy for long: vendor clients are large. */
  readonly isBeginning: () => boolean
  readonly onMemory: (bytes: number) => void
  /** It is late with its answer, or it answers again. */
  readonly onSilence: (silent: boolean) => void
  /** Told once, in words; it is not watched afterwards. */
  readonly onTrouble: (detail: string) => void
}

/** Finds children that hang or take too much memory. Heap caps of Node do not count buffers, so the whole process is looked at. */
export interface ChildWatch {
  /** Answers what ends the watch. */
  watch(child: Watched): () => void
}

interface Readings {
  /** Resident memory in bytes. */
  readonly memory: (pid: number) => number | undefined
  /** Processor time of the main thread in milliseconds. */
  readonly processor: (pid: number) => number | undefined
  /** What it has started. */
  readonly programs: (pid: number) => Programs
}

const lookEveryMs = 250
/** A child that does something is asked at the next look, any other this often. */
const askEveryMs = 2_000
const busyMs = 100
/** What the programs of a child may be together, beside the child itself; those that ended and that nobody waited for count too. */
const programsAtMost = { count: 256, timesMemory: 4 }
/** Silence counts as long as it lasts; work counts by the processor time of the child, so that a busy machine is held against nobody. */
const late = { silentMs: 2_000, workedMs: 450 }
const over = { silentMs: 10_000, workedMs: 2_000 }

/** One timer for all children, and none without children. A look that comes late counts like any other: the host was held up, not the child. */
export function createChildWatch(
  clock: Clock,
  readings: Readings = { memory: readMemory, processor: readProcessor, programs: readPrograms },
): ChildWatch {
  const looks = new Set<Look>()
  let idle = new AbortController()
  const run = async (signal: AbortSignal): Promise<void> => {
    const sleep = (): Promise<boolean> =>
      clock.sleep(lookEveryMs, signal).then(
        () => true,
        () => false,
      )
    while (await sleep()) for (const look of looks) look.take(readings)
  }
  return {
    watch(child) {
      const stop = (): void => {
        if (looks.delete(look) && looks.size === 0) idle.abort()
      }
      const look = new Look(child, stop)
      looks.add(look)
      if (looks.size === 1) {
        idle = new AbortController()
        void run(idle.signal)
      }
      return stop
    },
  }
}

interface Question {
  /** Since it was asked. */
  silentMs: number
  workedMs: number
}

class Look {
  private readonly child: Watched
  private readonly stop: () => void
  private processorMs: number | undefined
  private unaskedMs = 0
  private question: Question | undefined
  private isSilent = false
  private hasPrograms = false
  private ended = false

  constructor(child: Watched, stop: () => void) {
    this.child = child
    this.stop = stop
  }

  take({ memory, processor, programs }: Readings): void {
    const pid = this.child.pid()
    const workedMs = pid === undefined ? undefined : this.count(processor(pid))
    // What did not work takes what it took.
    const bytes = pid === undefined || workedMs === 0 ? undefined : memory(pid)
    if (bytes !== undefined) this.weigh(bytes)
    // Being asked is work too: no child starts anything for longer than that unseen.
    if (pid !== undefined && (workedMs !== 0 || this.hasPrograms)) this.weighPrograms(programs(pid))
    this.unaskedMs += lookEveryMs
    if (this.question) this.judge(this.question, workedMs ?? 0)
    else if ((workedMs ?? 0) >= busyMs || this.unaskedMs >= askEveryMs) this.ask()
  }

  /** How long it worked since the last look; undefined where nobody knows. */
  private count(processorMs: number | undefined): number | undefined {
    const before = this.processorMs
    this.processorMs = processorMs
    return before === undefined || processorMs === undefined ? undefined : processorMs - before
  }

  private ask(): void {
    const question: Question = { silentMs: 0, workedMs: 0 }
    this.question = question
    this.unaskedMs = 0
    this.child.ping().then(
      (bytes) => {
        this.question = undefined
        this.tell(false)
        this.weigh(bytes)
      },
      // The link is gone: the end of the process tells more.
      this.stop,
    )
  }

  private judge(question: Question, workedMs: number): void {
    question.silentMs += lookEveryMs
    if (!this.child.isBeginning()) question.workedMs += workedMs
    if (question.workedMs >= late.workedMs || question.silentMs >= late.silentMs) void this.lookAgain(question)
  }

  /** When this process itself was held up, the answer lies in its pipe already. */
  private async lookAgain(question: Question): Promise<void> {
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    if (this.question !== question) return
    this.tell(true)
    if (question.workedMs >= over.workedMs) this.end(`it did not answer while it worked for ${over.workedMs / 1000} s`)
    else if (question.silentMs >= over.silentMs) this.end(`it did not answer for ${over.silentMs / 1000} s`)
  }

  private weigh(bytes: number): void {
    const { capBytes } = this.child
    this.child.onMemory(bytes)
    if (bytes > capBytes) this.end(`it took ${toMib(bytes)} MiB of memory, of ${toMib(capBytes)} MiB that it may take`)
  }

  private weighPrograms({ count, bytes }: Programs): void {
    const { capBytes } = this.child
    this.hasPrograms = count > 0
    if (count > programsAtMost.count) this.end(`it started more than ${programsAtMost.count} programs`)
    const most = capBytes * programsAtMost.timesMemory
    if (bytes > most) this.end(`the programs that it started took ${toMib(bytes)} MiB of memory, of ${toMib(most)} MiB that they may take`)
  }

  private tell(silent: boolean): void {
    if (silent === this.isSilent) return
    this.isSilent = silent
    this.child.onSilence(silent)
  }

  private end(detail: string): void {
    if (this.ended) return
    this.ended = true
    this.stop()
    this.child.onTrouble(detail)
  }
}

const toMib = (bytes: number): number => Math.round(bytes / 1024 / 1024)
