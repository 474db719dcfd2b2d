import { systemClock } from '../../host/src/kernel/clock.ts'
import type { LoginManifest } from '../../host/src/models/credentials/login-manifest.ts'
import { createLoginTokens } from '../../host/src/models/credentials/login-tokens.ts'

interface Task {
  readonly file: string
  /** How fast its clock runs, from `since` on. */
  readonly speed: number
  readonly since: number
  readonly manifest: Exclude<LoginManifest, { kind: 'cli' }>
}

const { file, manifest, speed, since } = JSON.parse(process.argv[2] ?? '') as Task
const clock = {
  now: () => since + (Date.now() - since) * speed,
  sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms / speed, signal),
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
