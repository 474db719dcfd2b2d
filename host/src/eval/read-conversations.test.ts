import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readConversations } from './read-conversations.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'read-conversations-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}
const one = (name: string): string => `name: ${name}\nturns:\n  - say: hello\n`

test('the files of a folder are found by their name, one or several conversations in each', () => {
  write('b/eval.yaml', one('second'))
  write('a/pdf.eval.yml', `- name: first\n  turns: [{ say: hello }]\n- name: other\n  turns:\n    - say: hello\n`)
  write('a/notes.yaml', 'no: conversation\n')
  write('.git/eval.yaml', 'broken: [')
  write('node_modules/x/eval.yaml', 'broken: [')
  const found = readConversations(folder, folder)
  expect(found.map(({ shownFile, name }) => [shownFile, name])).toEqual([
    ['a/pdf.eval.yml', 'first'],
    ['a/pdf.eval.yml', 'other'],
    ['b/eval.yaml', 'second'],
  ])
  expect(found[1]?.placeOf(['turns', 0, 'say'])).toBe('a/pdf.eval.yml:5')
  expect(readConversations(join(folder, 'a/pdf.eval.yml'), join(folder, 'b'))).toMatchObject([
    { shownFile: join(folder, 'a/pdf.eval.yml') },
    {},
  ])
})

test.each([
  ['is no YAML', 'name: "x\n', 'eval.yaml:1: the file: '],
  ['is empty', '', 'eval.yaml:1: the file: must be an object, not null'],
  ['has no turns', 'name: x\nturns: []\n', 'eval.yaml:2: turns: must have at least 1 items'],
  ['has an unknown key', `${one('x')}    budget:\n      cals: 3\n`, 'eval.yaml:5: turns.0.budget.cals: is not known here'],
  [
    'has a pattern that is none',
    `${one('x')}    expect:\n      answer:\n        - /(/\n`,
    'eval.yaml:6: turns.0.expect.answer.0: does not fit',
  ],
  ['has a file elsewhere', `${one('x')}files:\n  ../../etc/passwd: x\n`, 'eval.yaml:5: files.../../etc/passwd: does not fit'],
  ['has a step that does nothing', `${one('x')}script:\n  - when: x\n`, 'eval.yaml:5: script.0: does not fit (it needs say or calls)'],
  [
    'has a name twice',
    `- { name: x, turns: [{ say: a }] }\n- { name: x, turns: [{ say: a }] }\n`,
    'eval.yaml:2: name: another conversation is called "x"',
  ],
])('a file that %s is refused with file, line and key', (_, text, sentence) => {
  write('eval.yaml', text)
  expect(() => readConversations(folder, folder)).toThrow(
    expect.objectContaining({ code: 'EVAL_INVALID', message: expect.stringContaining(sentence) }),
  )
})

test('a folder without conversations, and one that is not there, are said so', () => {
  expect(() => readConversations(folder, folder)).toThrow(expect.objectContaining({ code: 'EVAL_NONE' }))
  expect(() => readConversations(join(folder, 'x'), folder)).toThrow(/end in \.eval\.yaml/)
})
