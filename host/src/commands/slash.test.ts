import { expect, test } from 'vitest'
import { parseSlash, type SlashCall, type SlashCommand } from './slash.ts'
import { slashTable } from './slash-table.ts'

const parse = (line: string) => parseSlash(line, slashTable, 'cli')

test('a command is found by name and alias, whatever its case, and keeps its arguments', () => {
  expect(parse('/NEW  my title ')).toMatchObject({ command: { name: 'new' }, args: 'my title' })
  expect(parse('/reset')).toMatchObject({ command: { name: 'new' } })
  expect(parse('/title@mybot x')).toMatchObject({ command: { name: 'title' }, args: 'x' })
})

test('a path and ordinary words are text', () => {
  expect(parse('/etc/passwd is a file')).toBeUndefined()
  expect(parse('what does /new do?')).toBeUndefined()
})

test.each([
  ['/', 'cli', 'A slash alone is no command. /help lists them.'],
  ['/usge', 'cli', 'There is no command /usge. Did you mean /usage?'],
  ['/QQQQQQQQ 1', 'gateway', 'There is no command /qqqqqqqq. /help lists them.'],
  ['/exit', 'gateway', '/exit is for the terminal only. /help lists what is here.'],
  ['/whoami', 'cli', '/whoami is for messaging platforms only. /help lists what is here.'],
] as const)('%s at %s says what there is instead', (line, surface, sentence) => {
  const said: string[] = []
  const found = parseSlash(line, slashTable, surface)
  void found?.command.run({ args: found.args, door: { say: (text: string) => said.push(text) } } as unknown as SlashCall)
  expect(said).toEqual([sentence])
})

test('a skill is found where no command has its name, with an underscore for a hyphen', () => {
  const tea: SlashCommand = { name: 'make-tea', aliases: [], args: '', summary: '', surfaces: [], run: () => undefined }
  const find = (line: string) => parseSlash(line, slashTable, 'gateway', () => [tea, { ...tea, name: 'stop', args: 'a skill' }])
  expect(find('/Make_Tea now')).toEqual({ command: tea, args: 'now' })
  expect(find('/stop')?.command.args).toBe('')
  expect(find('!make-tea')).toBeUndefined()
  const said: string[] = []
  void find('/mke-tea')?.command.run({ args: '', door: { say: (text: string) => said.push(text) } } as unknown as SlashCall)
  expect(said).toEqual(['There is no command /mke-tea. Did you mean /make-tea?'])
})

test('every name and alias is used once, and every command says what it does', () => {
  const names = slashTable.flatMap((command) => [command.name, ...command.aliases])
  expect(new Set(names).size).toBe(names.length)
  for (const command of slashTable) expect(command.summary).toMatch(/^[A-Z].*[^.]$/)
})

test('where platforms take the slash away, an exclamation mark stands for it before known commands only', () => {
  const chat = (line: string) => parseSlash(line, slashTable, 'gateway')
  expect(chat('!status')).toMatchObject({ command: { name: 'status' } })
  expect(chat('!important thing')).toBeUndefined()
  expect(parse('!status')).toBeUndefined()
})

test('a long dash before a word is the two dashes that a phone has swallowed', () => {
  expect(parse('/new \u2014fast one \u2014 two \u2014')).toMatchObject({ args: '--fast one \u2014 two \u2014' })
})
