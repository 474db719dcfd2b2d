// @module-tag process
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BuiltProgram, buildChildProgram } from '../../../../test/support/child-program.ts'
import { needs, sayMissing } from '../../../../test/support/needs.ts'
import { findBwrap } from '../sandbox/find-bwrap.ts'
import { type Tried, tryActs } from './testing/try-acts.ts'

let program: BuiltProgram
beforeAll(async () => {
  program = await buildChildProgram()
})
afterAll(() => program[Symbol.asyncDispose]())

const say = (what: string, { succeeded, tried }: Tried): void =>
  void process.stdout.write(`${what}: ${succeeded.length} of ${tried} acts succeed${succeeded.map((act) => `\n  ${act}`).join('')}\n`)

test.each([
  ['nothing', 'plain'],
  ['nearly everything', 'wide'],
] as const)(
  'a plugin in a sandbox that declares %s does none of what nobody is given',
  { ...needs(findBwrap() || process.env.CI ? undefined : sayMissing('bwrap', 'bubblewrap')), timeout: 60_000 },
  async (declared, kind) => {
    const tried = await tryActs(program.file, kind, 'auto')
    say(`in a sandbox, declaring ${declared}`, tried)
    expect([tried.succeeded, tried.harm]).toEqual([[], []])
  },
)

test('the same acts succeed where there is no sandbox, so that they are acts', async () => {
  const tried = await tryActs(program.file, 'plain', 'off')
  process.stdout.write(`without one: ${tried.succeeded.length} of ${tried.tried} acts that harm no machine succeed\n`)
  expect(tried.succeeded).toEqual(
    expect.arrayContaining([
      'read the key of ssh',
      'read the .env of the agent',
      'call the API',
      'call gateway.sock',
      'read the environment of the agent',
      'find a secret in an environment',
      'find the door of another plugin',
    ]),
  )
}, 60_000)
