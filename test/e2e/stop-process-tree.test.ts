// @module-tag process
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSystemClock } from '@agent/plugin-sdk/testing'
import { describe, expect, test } from 'vitest'
import { addTalk, openTalkGateway } from '../support/gateways/talk-gateway.ts'
import { needs } from '../support/needs.ts'
import { openTestHome } from '../support/test-home.ts'
import { missingTmux, openTerminal } from '../support/tmux.ts'

const program = join(fileURLToPath(new URL('../..', import.meta.url)), 'host', 'bin', 'agent.mjs')
const bounded = { timeout: 20_000, interval: 20 }

/** A command that leaves three more processes below and beside it, one of them in a session apart. `mark` is in all their names. */
const treeOf = (mark: string): string => {
  const command = `sleep ${mark}1 & setsid sleep ${mark}2 & (sleep ${mark}3 & sleep ${mark}4); true`
  return `call terminal ${JSON.stringify({ command })}`
}

/** Programs that still run and have the mark in their first argument. */
function running(mark: string): number {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && lineOf(name).startsWith(`sleep\0${mark}`)).length
}

function lineOf(name: string): string {
  try {
    return readFileSync(`/proc/${name}/cmdline`, 'utf8')
  } catch {
    // It ended meanwhile.
    return ''
  }
}

describe('the whole process tree of a tool is gone', () => {
  describe('in a real terminal', needs(missingTmux()), () => {
    test.each([
      ['Escape', 'auto', '71'],
      ['C-c', 'auto', '72'],
      ['Escape', 'off', '74'],
      ['C-c', 'off', '75'],
    ])('after %s, with terminal.sandbox %s', { timeout: 60_000 }, async (key, sandbox, sign) => {
      const mark = `${sign}${process.pid}`
      using home = openTestHome()
      home.write('config.yaml', `terminal: { sandbox: '${sandbox}' }\napprovals: { mode: 'off' }\n`)
      const environment = { ...home.environment, TERM: 'xterm', NO_COLOR: '1' }
      await using terminal = openTerminal({ command: [process.execPath, program, 'chat'], environment, cwd: home.work })
      await terminal.shows(/›/)
      terminal.type(treeOf(mark))
      terminal.press('Enter')
      await expect.poll(() => running(mark), bounded).toBe(4)
      terminal.press(key)
      await expect.poll(() => running(mark), bounded).toBe(0)
      await terminal.shows(/Interrupted/)
    })
  })

  test('after /stop in a gateway', { timeout: 60_000 }, async () => {
    const mark = `73${process.pid}`
    using home = openTestHome()
    addTalk(home)
    await using gateway = await openTalkGateway(home, createSystemClock())
    await gateway.say('1', treeOf(mark))
    await expect.poll(() => running(mark), bounded).toBe(4)
    await gateway.say('2', '/stop')
    await expect.poll(() => running(mark), bounded).toBe(0)
    expect([await gateway.answer(), await gateway.answer()].join('\n')).toMatch(/Stopped\.|Interrupted\./)
  })
})
