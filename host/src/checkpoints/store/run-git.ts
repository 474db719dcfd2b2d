import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'

export interface GitRun {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** What it reads; from a stream it comes when there is some. */
  readonly input?: Buffer | Readable | undefined
  readonly signal: AbortSignal
}

/** Runs git without a shell and gives back what it printed; it is killed with the signal. Rejects with CHECKPOINTS_UNUSABLE where it fails or is not there. */
export async function runGit(words: readonly string[], run: GitRun): Promise<Buffer> {
  for (let retries = 3; ; retries--) {
    try {
      const chunks: Buffer[] = []
      for await (const chunk of streamGit(words, run)) chunks.push(chunk)
      return Buffer.concat(chunks)
    } catch (error) {
      if (retries === 0 || !isAgentError(error) || !swept.test(error.message)) throw error
    }
  }
}

/** Pruning in another process takes an empty folder away in the moment in which something is put there. */
const swept = /unable to create temporary file: No such file/

/** The same, piece by piece. Who stops reading ends it. */
export async function* streamGit(words: readonly string[], { environment, cwd, input, signal }: GitRun): AsyncGenerator<Buffer> {
  signal.throwIfAborted()
  const child = spawn('git', words, { cwd, env: { ...environment }, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true })
  let failure: Error | undefined
  let note = ''
  const stop = (): void => void child.kill('SIGKILL')
  signal.addEventListener('abort', stop, { once: true })
  child.once('error', (error) => {
    failure = error
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (note.length < 10_000) note += text
  })
  const closed = once(child, 'close').catch(() => [undefined])
  // It may end without reading all.
  child.stdin.on('error', () => undefined)
  if (input instanceof Readable) input.pipe(child.stdin)
  else child.stdin.end(input)
  let isDone = false
  try {
    yield* child.stdout as AsyncIterable<Buffer>
    const [code] = (await closed) as [number | null | undefined]
    isDone = true
    signal.throwIfAborted()
    if (failure || code !== 0) throw fail('CHECKPOINTS_UNUSABLE', { problem: explain(words, failure, note) }, { cause: failure })
  } finally {
    signal.removeEventListener('abort', stop)
    if (!isDone) {
      stop()
      await closed
    }
  }
}

export const fullDisk = 'the disk is full'

function explain(words: readonly string[], failure: Error | undefined, note: string): string {
  if (failure)
    return (failure as NodeJS.ErrnoException).code === 'ENOENT' ? 'git is not installed here' : `git does not start: ${failure.message}`
  const [first = ''] = note.split('\n').filter((line) => /^(fatal|error):/.test(line))
  const said = first.replace(/^(fatal|error): /, '') || note.trim().split('\n')[0] || 'it gave no reason'
  if (/No space left on device|Disk quota exceeded/.test(note)) return fullDisk
  return `git ${words.find((word) => /^[a-z]/.test(word) && !word.includes('=')) ?? ''} failed: ${said}`.replace(/\.$/, '')
}
