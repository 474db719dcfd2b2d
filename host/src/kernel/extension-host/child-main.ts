import { Socket } from 'node:net'
import { detailOf } from '@agent/plugin-sdk/errors'
import { systemClock } from '../clock.ts'
import { leadThroughDoor } from '../egress/child-network.ts'
import { createReadyFetch, waitForCompiler } from '../first-fetch.ts'
import { pipeLink } from './border.ts'
import { servePlugins } from './serve-plugins.ts'

// Else a signal could open the debugger of this process.
process.on('SIGUSR1', () => undefined)
// Stacks name the files and lines that the author of a plugin has written, where its bundles say which.
process.setSourceMapsEnabled(true)
const [network] = process.argv.slice(2)
if (network !== undefined) leadThroughDoor(network === 'closed' ? undefined : network)

// The program of a child. The host opened this pipe; when it is gone, nobody is left to work for.
const pipe = new Socket({ fd: 3 })
const server = servePlugins({
  link: pipeLink(pipe),
  clock: systemClock,
  fetch: createReadyFetch(fetch, () => waitForCompiler(systemClock)),
  importModule: (url) => import(url),
  memory: () => process.memoryUsage.rss(),
  resources: () => process.getActiveResourcesInfo(),
  onFault: ({ stack }) => process.stderr.write(`${stack}\n`),
})
let told = false
const tell = (stack: string, detail: string): void => {
  if (told) return
  told = true
  server.blame(stack, detail)
}
process.on('uncaughtException', (error: unknown) => {
  const stack = error instanceof Error ? (error.stack ?? '') : String(error)
  process.stderr.write(`${stack}\n`)
  const detail = detailOf(error)
  if (server.survive(stack, detail)) return
  tell(stack, detail)
  process.exit(1)
})
// The caller of process.exit() still stands in the stack here.
process.on('exit', (code) => tell(new Error('exit').stack ?? '', `it ended its process (code ${code})`))
await server.closed
told = true
process.exit(0)
