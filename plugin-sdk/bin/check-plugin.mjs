// Tries a plugin in a separate process, so that nothing it does reaches the program that asks. Speaks lines of JSON over fd 3.
import { writeSync } from 'node:fs'
import { loadKit } from './load-build.mjs'

// Else a plugin could open a debugger here.
process.on('SIGUSR1', () => undefined)

// Stacks name what the author has written.
process.setSourceMapsEnabled(true)

const say = (message) => writeSync(3, `${JSON.stringify(message)}\n`)

try {
  const { checkPlugin, formatJunit } = await loadKit()
  const report = await checkPlugin({ ...JSON.parse(process.argv[2]), onResult: (result) => say({ result }) })
  say({ report, junit: formatJunit(report) })
} catch (error) {
  say({ error: { code: error.code ?? 'INTERNAL', params: error.params ?? { detail: error.message } } })
}
// A plugin that keeps something open must not keep this process open.
process.exit()
