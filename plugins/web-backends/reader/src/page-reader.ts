import { Worker } from 'node:worker_threads'
import { type Clock, withTimeLimit } from '@agent/plugin-sdk'
import { failure } from './failure.ts'
import type { WorkerAnswer } from './page/page-worker.ts'
import type { PageText, ReadPage } from './page/read-page.ts'

/** Reads HTML in a separate thread, which a hostile page can neither block nor fill. */
export interface PageReader {
  read(page: PageText, signal: AbortSignal): Promise<ReadPage>
  close(): Promise<void>
}

const longestMs = 15_000
const idleMs = 30_000
const memory = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }

/** The thread is started for the first page and ended when none has come for a while. One page is read at a time. */
export function createPageReader(clock: Clock): PageReader {
  let worker: Worker | undefined
  let before: Promise<unknown> = Promise.resolve()
  let rest = new AbortController()
  let isClosed = false

  async function end(): Promise<void> {
    const ended = worker
    worker = undefined
    await ended?.terminate()
  }

  function requireOpen(): void {
    if (isClosed) throw failure('the reader was closed meanwhile')
  }

  async function readNext(page: PageText, signal: AbortSignal): Promise<ReadPage> {
    signal.throwIfAborted()
    requireOpen()
    rest.abort()
    worker ??= await startWorker()
    if (isClosed) await end()
    requireOpen()
    if (!worker) return (await import('./page/read-page.ts')).readPage(page)
    const current = worker
    try {
      const limit = { clock, signal, ms: longestMs, what: `Making text of ${page.url}` }
      const answer = await withTimeLimit(limit, (over) => askWorker(current, page, over))
      if ('page' in answer) return answer.page
      throw failure(`${page.url} cannot be made readable (${answer.problem}): the browser may show it`)
    } catch (error) {
      // It may be at it still.
      await end()
      throw error
    } finally {
      current.unref()
      rest = new AbortController()
      clock.sleep(idleMs, rest.signal).then(end, () => undefined)
    }
  }

  return {
    read(page, signal) {
      const reading = before.then(() => readNext(page, signal))
      before = reading.catch(() => undefined)
      return reading
    },
    async close() {
      isClosed = true
      rest.abort()
      await end()
    },
  }
}

/** Undefined in a process that may start no thread: that of a plugin apart, which is limited itself. */
async function startWorker(): Promise<Worker | undefined> {
  const { program } = await import('./page/page-worker.program.ts')
  try {
    const worker = new Worker(program, { eval: true, env: {}, execArgv: [], stdout: true, stderr: true, resourceLimits: memory })
    for (const output of [worker.stdout, worker.stderr]) output.resume()
    // Without a listener an error would end this process; who waits for an answer hears of it too.
    worker.on('error', () => undefined)
    return worker
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_ACCESS_DENIED') return undefined
    throw error
  }
}

function askWorker(worker: Worker, page: PageText, signal: AbortSignal): Promise<WorkerAnswer> {
  worker.ref()
  return new Promise<WorkerAnswer>((answered, failed) => {
    const settle = (): void => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      signal.removeEventListener('abort', onAbort)
    }
    const onMessage = (answer: WorkerAnswer): void => {
      settle()
      answered(answer)
    }
    const lose = (error: unknown): void => {
      settle()
      failed(error)
    }
    const onError = ({ message }: Error): void => lose(failure(`${page.url} is more than the reader can hold (${message})`))
    const onExit = (): void => lose(failure(`the reader ended while it read ${page.url}`))
    const onAbort = (): void => lose(signal.reason)
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    signal.addEventListener('abort', onAbort, { once: true })
    worker.postMessage(page)
  })
}
