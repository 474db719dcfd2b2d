// @module-tag process
import { expect } from 'vitest'
import { openTemporaryCheckout } from '../../test/repo/temporary-checkout.ts'
import { proves } from '../../test/spec/proves.ts'

const agent = 'host/bin/agent.mjs'

proves('cli.binary', 'agent --version answers without a bundle', async () => {
  await using checkout = await openTemporaryCheckout()
  expect(await checkout.run(agent, ['--version'])).toEqual({ code: 0, out: 'agent 7.8.9\n', errors: '' })
})

proves('cli.binary', 'agent without a bundle says what to run, and with one hands its arguments on', async () => {
  await using checkout = await openTemporaryCheckout()
  const early = await checkout.run(agent, ['chat', '-z', 'hello'])
  expect(early.code).toBe(1)
  expect(early.errors).toContain('npm start')
  await checkout.run('host/install/run.mjs', ['build'])
  const late = await checkout.run(agent, ['chat', '-z', 'hello'])
  expect(JSON.parse(late.out)).toMatchObject({ argv: ['chat', '-z', 'hello'], installRoot: checkout.root })
  expect(late.code).toBe(3)
})
