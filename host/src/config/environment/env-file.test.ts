import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseEnvFile, readEnvFile, setEnvValue, writeEnvValue, writeEnvValues } from './env-file.ts'

test('quotes, comments, export and an empty value are read as a shell would', () => {
  const text = [
    '\uFEFFPLAIN=one # why',
    'export EXPORTED = two',
    "SINGLE='a \\n # b'",
    'DOUBLE="line\\n\\"quoted\\" \\$HOME"',
    '# COMMENT=1',
    'HASH=a#b',
    'EMPTY=',
    'EMPTY_TOO= # nothing',
  ].join('\r\n')
  expect(parseEnvFile(text)).toEqual({
    values: { PLAIN: 'one', EXPORTED: 'two', SINGLE: 'a \\n # b', DOUBLE: 'line\n"quoted" $HOME', HASH: 'a#b', EMPTY: '', EMPTY_TOO: '' },
    lines: { PLAIN: 1, EXPORTED: 2, SINGLE: 3, DOUBLE: 4, HASH: 6, EMPTY: 7, EMPTY_TOO: 8 },
    unreadable: [],
    repeated: [],
  })
})

test('a line that is no setting is named, not guessed', () => {
  expect(parseEnvFile('A=1\nnot a setting\nB="open\n2C=x\n').unreadable).toEqual([2, 3, 4])
})

test.each(['plain', 'with space', "it's", 'two\nlines', '"$HOME"\\', 'a # b', '', '#x', '\'both\' "kinds"\r\n'])(
  'a written value reads back: %j',
  (value) => {
    expect(parseEnvFile(setEnvValue('', 'NAME', value)).values).toEqual({ NAME: value })
  },
)

test('writing one name keeps all other lines and drops its doubles', () => {
  const text = '# keys\nA=1\n\nB=2 # two\nA=3\n'
  expect(setEnvValue(text, 'A', 'new')).toBe('# keys\n\nB=2 # two\nA=new\n')
  expect(setEnvValue(text, 'C', 'x')).toBe(`${text}C=x\n`)
  expect(setEnvValue('A=1\n', 'A', undefined)).toBe('')
})

test('the file is the owner’s alone, and a link stays a link', () => {
  const folder = mkdtempSync(join(tmpdir(), 'env-file-'))
  try {
    const path = join(folder, 'home', '.env')
    writeEnvValue(path, 'A', 'secret value')
    expect(readEnvFile(path).values).toEqual({ A: 'secret value' })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    writeFileSync(join(folder, 'real.env'), 'B=1\n')
    symlinkSync(join(folder, 'real.env'), join(folder, 'linked.env'))
    writeEnvValue(join(folder, 'linked.env'), 'B', '2')
    expect(readFileSync(join(folder, 'real.env'), 'utf8')).toBe('B=2\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a missing file has no values', () => {
  expect(readEnvFile('/nonexistent/.env').values).toEqual({})
})

test('several names are written at once, and a file that says it already is left alone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-env-'))
  try {
    const file = join(folder, '.env')
    writeEnvValues(file, {})
    expect(existsSync(file)).toBe(false)
    writeFileSync(file, '# mine\nB=2\nC=3\n')
    writeEnvValues(file, { A: '1', B: 'two words', C: undefined })
    expect(readFileSync(file, 'utf8')).toBe("# mine\nB='two words'\nA=1\n")
    const before = statSync(file).ino
    writeEnvValues(file, { A: '1' })
    expect(statSync(file).ino).toBe(before)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
