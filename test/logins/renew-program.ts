import type { LoginManifest } from '../../host/src/models/credentials/login-manifest.ts'
import { createLoginTokens } from '../../host/src/models/credentials/login-tokens.ts'

interface Task {
  readonly file: string
  readonly manifest: Exclude<LoginManifest, { kind: 'cli' }>
}

const { file, manifest } = JSON.parse(process.argv[2] ?? '') as Task
const clock = {
  now: () => Date.now(),
  sleep: (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, ms)
      signal?.addEventListener('abort', () => {
        clearTimeout(timer)
        reject(signal.reason)
      })
    }),
}
const { signal } = new AbortController()
const owner = `${process.pid}`
const tokens = createLoginTokens({
  provider: 'fake',
  files: [file],
  manifest,
  clock,
  signal,
  owner,
  random: Math.random,
  keepSecret: () => undefined,
})
// All begin at once.
process.stdout.write('ready\n')
process.stdin.once('data', async () => {
  const { token } = await tokens.current(undefined, signal)
  process.stdout.write(`${token}\n`)
  process.exit()
})
