// @module-tag process
import { expect, test } from 'vitest'
import { buildChildProgram } from '../../../../test/support/child-program.ts'
import { addGate, nameGates, nameOf } from '../../../../test/support/servers/gate-dashboard.ts'
import { openTestDashboard } from '../../../../test/support/servers/open-test-dashboard.ts'

const code = `export default {
  open: async ({ state }) => ({
    check: async ({ name, password }) => {
      if (password === 'end') process.exit(1)
      await state.set('seen', name)
      return password === 'right' && (await state.get('seen')) === name ? { id: name } : null
    },
  }),
}`

test('a gate of somebody else runs in a child, and one whose child ends lets nobody in and goes on', async () => {
  await using program = await buildChildProgram()
  await using dashboard = await openTestDashboard({
    host: '0.0.0.0',
    gates: { childProgram: program.file },
    prepare: (home) => {
      addGate(home, 'office', 'password', code)
      nameGates(home, ['office'], [nameOf('office')])
    },
  })
  const logIn = async (password: string): Promise<number> => {
    const body = { username: 'ann', password, gate: nameOf('office') }
    return (await dashboard.askBare('POST', '/api/auth/login', { body })).status
  }
  expect([await logIn('wrong'), await logIn('right')]).toEqual([401, 200])
  expect([401, 503]).toContain(await logIn('end'))
  await expect.poll(() => logIn('right'), { interval: 1500, timeout: 9000 }).toBe(200)
})
