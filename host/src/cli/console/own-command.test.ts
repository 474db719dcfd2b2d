import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { formHints, ownCommand } from './own-command.ts'

let root: string
let program: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'own-command-'))
  program = join(root, 'host', 'bin', 'agent.mjs')
  for (const folder of ['host/bin', 'bin', 'other', 'node_modules/.bin', 'sub/folder']) mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(program, '')
})
afterEach(() => rmSync(root, { recursive: true }))

const link = (folder: string): void => symlinkSync(program, join(root, folder, 'agent'))
const place = (PATH: string | undefined, cwd = '/') => ({ environment: { PATH }, installRoot: root, cwd })

test('a hint names the program as it is started where the person is', () => {
  const path = [join(root, 'node_modules/.bin'), join(root, 'other'), join(root, 'bin')].join(':')
  expect(ownCommand(place(path))).toBe(program)
  expect(ownCommand(place(path, root))).toBe('npx agent')
  expect(ownCommand(place(path, join(root, 'sub')))).toBe(program)
  link('node_modules/.bin')
  expect(ownCommand(place(path))).toBe(program)
  expect(ownCommand(place(path, join(root, 'sub/folder')))).toBe('npx agent')
  link('bin')
  expect(ownCommand(place(path))).toBe('agent')
  writeFileSync(join(root, 'other', 'agent'), 'another program')
  expect(ownCommand(place(path))).toBe(program)
  expect(ownCommand(place(undefined))).toBe('agent')
})

test('only commands of agent are changed in a text', () => {
  const text = 'Usage: agent chat. The agent runs. Try: agent model, my-agent chat, npx agent doctor, or agent gateway start.'
  expect(formHints(text, place('/nowhere'))).toBe(
    `Usage: agent chat. The agent runs. Try: ${program} model, my-agent chat, npx agent doctor, or ${program} gateway start.`,
  )
})
