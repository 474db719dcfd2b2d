import { existsSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Home } from '#config/home/home.ts'
import { linkForNow } from './link-for-now.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'link-for-now-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const home = (): Home => ({ files: { pluginsLocal: join(folder, 'local') } }) as Home
const link = (): string => join(folder, 'local', 'toolset-dice')

function writePlugin(name: string): string {
  const dir = join(folder, name)
  mkdirSync(dir)
  const manifest = { manifestVersion: 1, id: 'toolset-dice', name: 'Dice', description: 'd', version: '1.0.0', license: 'MIT', api: {} }
  writeFileSync(join(dir, 'agent.plugin.json'), JSON.stringify({ ...manifest, contributes: {} }))
  return dir
}

test('a link that was made goes away again', async () => {
  const dir = writePlugin('dice')
  const unlink = await linkForNow(home(), 'toolset-dice', dir)
  expect(readlinkSync(link())).toBe(dir)
  expect(unlink()).toBe(true)
  expect(existsSync(link())).toBe(false)
  expect(unlink()).toBe(false)
})

test('a link that was there stays, and one that was replaced comes back', async () => {
  const [old, dir] = [writePlugin('old'), writePlugin('dice')]
  mkdirSync(join(folder, 'local'))
  symlinkSync(old, link())
  const unlink = await linkForNow(home(), 'toolset-dice', dir)
  expect((await linkForNow(home(), 'toolset-dice', dir))()).toBe(false)
  expect(readlinkSync(link())).toBe(dir)
  expect(unlink()).toBe(true)
  expect(readlinkSync(link())).toBe(old)
})

test('a link that somebody has changed meanwhile is theirs', async () => {
  const unlink = await linkForNow(home(), 'toolset-dice', writePlugin('dice'))
  rmSync(link())
  symlinkSync(writePlugin('other'), link())
  expect(unlink()).toBe(false)
  expect(readlinkSync(link())).toBe(join(folder, 'other'))
})
