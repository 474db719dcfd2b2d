// @module-tag process
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { needs } from '../../../../test/support/needs.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'
import { missingTmux, openTerminal } from '../../../../test/support/tmux.ts'

const program = join(fileURLToPath(new URL('../../../..', import.meta.url)), 'host', 'bin', 'agent.mjs')

test('a question of the agent is answered by number in a terminal', needs(missingTmux()), async () => {
  using home = openTestHome()
  const environment = { ...home.environment, TERM: 'xterm', NO_COLOR: '1' }
  await using terminal = openTerminal({ command: [process.execPath, program, 'chat'], environment, cwd: home.work })
  await terminal.shows(/›/)
  terminal.type('ask which colour? red|blue')
  terminal.press('Enter')
  await terminal.shows(/1\. red\n\s+2\. blue/)
  terminal.type('2')
  terminal.press('Enter')
  expect(await terminal.shows(/That is all/)).toContain('blue')
})
