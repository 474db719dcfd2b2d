import type { Command } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { slashTable } from '#commands/slash-table.ts'
import { talkConnection, talkSpec } from '../testing/talk.ts'
import { showMenu } from './native-menu.ts'

const spec = talkSpec({ capabilities: { setCommands: true } })
const { signal } = new AbortController()
const catalog = { of: () => [] }

async function shown(setCommands: (commands: readonly Command[]) => Promise<void>): Promise<readonly string[]> {
  const warned: string[] = []
  const log = { debug: () => {}, info: () => {}, warn: (text: string) => void warned.push(text), error: () => {} }
  await showMenu({ catalog, spec, connection: talkConnection(spec, { setCommands }), clock: createFakeClock(), log, signal })
  return warned
}

test('the menu of a platform shows what everybody may give there', async () => {
  const menu: Command[] = []
  expect(await shown(async (commands) => void menu.push(...commands))).toEqual([])
  const names = menu.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['new', 'stop', 'help', 'background', 'approve']))
  const hidden = slashTable.filter(({ surfaces, adminOnly }) => adminOnly || !surfaces.includes('gateway'))
  expect(names.filter((name) => hidden.some((command) => command.name === name))).toEqual([])
  expect(menu.every(({ summary }) => summary !== '')).toBe(true)
})

test('a platform that refuses its menu works without it', async () => {
  expect(await shown(() => Promise.reject(fail('SEND_REFUSED', { platform: 'talk', detail: 'no' })))).toEqual([
    'the menu of a platform could not be set',
  ])
})

test('a platform without a menu, or without a connection, is not asked', async () => {
  const warned: string[] = []
  const log = { debug: () => {}, info: () => {}, warn: (text: string) => void warned.push(text), error: () => {} }
  const setCommands = () => expect.unreachable()
  const without = talkSpec()
  const shared = { catalog, clock: createFakeClock(), log, signal }
  await showMenu({ ...shared, spec: without, connection: talkConnection(spec, { setCommands }) })
  await showMenu({ ...shared, spec, connection: undefined })
  expect(warned).toEqual([])
})
