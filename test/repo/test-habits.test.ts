import { expect, test } from 'vitest'
import { isTest, listFiles, readText } from './source-files.ts'

const own = 'test/repo/test-habits.test.ts'
const tests = ['host', 'plugin-sdk', 'plugins', 'test']
  .flatMap((folder) => listFiles(folder, /\.ts$/))
  .filter((file) => isTest(file) && file !== own)

/** What would make a red test green, or a test depend on the machine's speed. */
const habits: Readonly<Record<string, RegExp>> = {
  'focuses one test': /\b(?:test|it|describe)\.only\b/,
  'inverts a test': /\b(?:test|it)\.fails\b/,
  'skips without a reason in the report (see needs.ts)': /\b(?:skipIf|runIf)\(|\b(?:test|it|describe|context)\.(?:skip|todo)\(/,
  retries: /\bretry:\s*\d/,
  'mocks a module': /\bvi\.(?:mock|doMock)\(/,
}

test.each(Object.entries(habits))('no test file %s', (_, pattern) => {
  expect(tests.filter((file) => pattern.test(readText(file)))).toEqual([])
})
