import { expect, test } from 'vitest'
import { parseSlash } from './slash.ts'
import { slashTable } from './slash-table.ts'

const parse = (line: string) => parseSlash(line, slashTable, 'cli')

test('a command is found by name and alias, whatever its case, and keeps its arguments', () => {
  expect(parse('/NEW  my title ')).toMatchObject({ type: 'command', command: { name: 'new' }, args: 'my title' })
  expect(parse('/reset')).toMatchObject({ type: 'command', command: { name: 'new' } })
  expect(parse('/title@mybot x')).toMatchObject({ type: 'command', command: { name: 'title' }, args: 'x' })
})

test('a path and ordinary words are text', () => {
  expect(parse('/etc/passwd is a file').type).toBe('text')
  expect(parse('what does /new do?').type).toBe('text')
  expect(parse('/').type).toBe('text')
})

test('a slip names the nearest command', () => {
  expect(parse('/usge')).toEqual({ type: 'unknown', name: 'usge', nearest: 'usage' })
})

test('a command that a surface does not offer is unknown there', () => {
  expect(parseSlash('/tools', slashTable, 'gateway').type).toBe('unknown')
})

test('every name and alias is used once, and every command says what it does', () => {
  const names = slashTable.flatMap((command) => [command.name, ...command.aliases])
  expect(new Set(names).size).toBe(names.length)
  for (const command of slashTable) expect(command.summary).toMatch(/^[A-Z].*[^.]$/)
})

test('where platforms take the slash away, an exclamation mark stands for it before known commands only', () => {
  const chat = (line: string) => parseSlash(line, slashTable, 'gateway')
  expect(chat('!status')).toMatchObject({ type: 'command', command: { name: 'status' } })
  expect(chat('!important thing').type).toBe('text')
  expect(parse('!status').type).toBe('text')
})

test('a long dash before a word is the two dashes that a phone has swallowed', () => {
  expect(parse('/new \u2014fast one \u2014 two \u2014')).toMatchObject({ args: '--fast one \u2014 two \u2014' })
})
