import { afterEach, beforeEach, expect, test } from 'vitest'
import { homeOf } from '#config/home/home.ts'
import { openInstance } from '#gateway/instance/instance.ts'
import { systemClock } from '#kernel/clock.ts'
import { runCommand } from '../../../../test/support/test-cli.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { command } from '../commands/gateway.ts'

let home: TestHome
beforeEach(() => {
  home = openTestHome()
})
afterEach(() => home[Symbol.dispose]())

const run = (word: string) => runCommand(command, [word], { environment: home.environment })

test('stopping what does not run is refused, and nothing is noted as stopped', async () => {
  expect(await run('stop')).toMatchObject({
    code: 1,
    error: 'GATEWAY_NOT_RUNNING',
    note: `agent: No gateway runs for ${home.home}. Start one with agent gateway start.\n`,
  })
  expect(() => home.read('gateway_state.json')).toThrow('ENOENT')
})

test('starting beside a gateway that runs is refused, and no process is started', async () => {
  const instance = openInstance(homeOf(home.home, 'default'), 'boot_1', systemClock)
  expect(await run('start')).toMatchObject({ code: 1, error: 'GATEWAY_RUNNING', out: '' })
  expect(() => home.read('logs/gateway.out')).toThrow('ENOENT')
  await instance.close()
})
