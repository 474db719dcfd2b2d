// @module-tag process
import { expect, test } from 'vitest'
import { openTemporaryCheckout } from '../../test/repo/temporary-checkout.ts'

const steps = {
  'node_modules/typescript/bin/tsc': '',
  'node_modules/@biomejs/biome/bin/biome': '',
  'host/install/generate.mjs': '',
}

const check = async (files: Readonly<Record<string, string>>) => {
  await using checkout = await openTemporaryCheckout()
  await checkout.write({ ...steps, ...files })
  return await checkout.run('host/install/run.mjs', ['check'])
}

test('a check is good when all of its steps are, and says how long each took', async () => {
  const { code, errors } = await check({ 'host/install/generate.mjs': 'console.log("nobody has to read this")' })
  expect(errors).toMatch(
    /^types: good \([\d.]+ s\)\ntypes of the browser's side: good \([\d.]+ s\)\nlint: good \([\d.]+ s\)\ngenerated files: good \([\d.]+ s\)\n$/,
  )
  expect(code).toBe(0)
})

test.each(Object.keys(steps))('all that %s says is shown when it fails, and the others are still run', async (file) => {
  const { code, errors } = await check({ [file]: 'console.log("one"); console.error("two"); process.exitCode = 3' })
  expect(errors).toContain('one\ntwo\n')
  // The program that checks types runs twice.
  const failing = file.endsWith('tsc') ? 2 : 1
  expect(errors.match(/: FAILED /g)).toHaveLength(failing)
  expect(errors.match(/: good /g)).toHaveLength(4 - failing)
  expect(code).toBe(1)
})
