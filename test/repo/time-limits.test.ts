import { expect, test } from 'vitest'
import { isTest, listFiles, readText } from './source-files.ts'

/** The primitive, and the tests that prove that it holds what these forget. */
const allowed = [
  'plugin-sdk/src/contract/time-limit.ts',
  'plugin-sdk/src/contract/time-limit.test.ts',
  'host/src/kernel/egress/limit-fetch.test.ts',
  'host/src/kernel/activation/plugin-context.test.ts',
  'host/src/kernel/extension-host/extension-hosts.test.ts',
  'test/repo/time-limits.test.ts',
]

test('a signal that Node may forget is made nowhere: withTimeLimit and linkSignals of the SDK take its place', () => {
  const files = ['host', 'plugin-sdk', 'plugins', 'test'].flatMap((folder) => listFiles(folder, /\.(?:ts|tsx|mjs)$/))
  const forgetful = /\bAbortSignal\s*\.\s*(?:any|timeout)\s*\(/
  expect(files.filter((file) => !allowed.includes(file) && forgetful.test(readText(file)))).toEqual([])
})

/** Where a timer of Node stands, and why. */
const timers: Readonly<Record<string, string>> = {
  'host/src/cli/plugins/package/probe-program.ts': 'a separate program, which gets no clock',
  'host/src/cli/plugins/watch/watch-sources.ts': 'it waits for the quiet of real files',
  'host/src/kernel/clock.ts': 'the clock is made of it',
  'host/src/kernel/egress/child-network.ts': 'the limit of a socket, which its plugin asked for',
}

test('time comes from a clock: nothing else that is shipped sets a timer of Node', () => {
  const sources = ['host/src', 'plugin-sdk/src', 'plugins'].flatMap((folder) => listFiles(folder, /\/src\/.*\.ts$/))
  const product = sources.filter((file) => !isTest(file) && !file.includes('/testing/'))
  const found = product.filter((file) => /\bset(?:Timeout|Interval)\b/.test(readText(file)))
  expect(found).toEqual(Object.keys(timers))
})
