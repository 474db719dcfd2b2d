import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageScripts, programOf, readHeld, recipes, scriptsOf } from './program-files.ts'

const wordsOf = (line: string): readonly string[] => line.split(' ')

test.each([
  ['python3 -c x', ['x'], false],
  ['python -Ic x', ['x'], false],
  ['pythonic -c x', undefined, false],
  ['perl -ne x', ['x'], false],
  ['node -e x', ['x'], false],
  ['node --eval=x', ['x'], false],
  ['nodemon -e x', undefined, false],
  ['deno eval x', ['x'], false],
  ['deno run x', [], false],
  ['denote eval x', undefined, false],
  ['php -r x', ['x'], false],
  ['php --rr x', [], false],
  ['php8.2 -nr x', ['x'], false],
  ['lua -e x', ['x'], false],
  ['python3', [], true],
  ['python3 -', [], true],
  ['python3 -u', [], true],
  ['python3 /dev/stdin', [], true],
  ['python3 -V', [], false],
  ['python3 -m http.server', [], false],
  ['python3 x.py', [], false],
  ['ls', undefined, false],
])('%s holds the program %j, fed: %j', (line, texts, takesInput) => {
  expect(programOf(wordsOf(line))).toEqual(texts && { texts, takesInput })
})

const made = ['Makefile', 'makefile', 'GNUmakefile']
test.each([
  ['bash a.sh', ['shell a.sh']],
  ['bash -x a.sh b', ['shell a.sh']],
  ['bash -c a.sh', []],
  ['bash -lc a.sh', []],
  ['bash run-c', ['shell run-c']],
  ['cmake all', []],
  ['source a', ['shell a']],
  ['. a', ['shell a']],
  ['python3 a.py b', ['script a.py']],
  ['python3 -c a', []],
  ['deno run a.ts', ['script a.ts']],
  ['npm run build', ['package package.json build']],
  ['npm --silent test', ['package package.json test']],
  ['npm exec tsc', ['package package.json tsc']],
  ['make all', made.map((path) => `make ${path}`)],
  ['gmake -f own all', [...made, 'own'].map((path) => `make ${path}`)],
  ['./run.sh a', ['shell ./run.sh']],
  ['run.sh a', []],
])('%s runs %j', (line, files) => {
  const words = wordsOf(line)
  const found = scriptsOf(words, words[0] ?? '')
  expect(found.map(({ type, path, target }) => [type, path, ...(target === undefined ? [] : [target])].join(' '))).toEqual(files)
})

test('a script of a package runs with those before and after it, and a file that cannot be read holds none', () => {
  const text = JSON.stringify({ scripts: { prebuild: 'a', build: 'b', postbuild: 'c', test: 'd', prepare: 'e', postinstall: 'f' } })
  expect([...packageScripts(text, 'build')].sort()).toEqual(['a', 'b', 'c'])
  for (const word of ['install', 'i', 'ci']) expect([...packageScripts(text, word)].sort()).toEqual(['e', 'f'])
  expect(packageScripts('{', 'build')).toEqual([])
})

test('the commands of a makefile are its lines with a tab, without the signs before them', () => {
  expect(recipes('A = 1\nall: a\n\t@rm $$HOME\n\t-@+ls\n\techo @a\n  cat b\n')).toBe('rm $HOME\nls\necho @a')
})

test('a file is held as it is unless it is too large, or is not there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'held-'))
  const path = join(folder, 'a')
  writeFileSync(path, 'x'.repeat(300_000))
  expect(readHeld(path)).toHaveLength(300_000)
  writeFileSync(path, 'x'.repeat(300_001))
  expect([readHeld(path), readHeld(join(folder, 'gone'))]).toEqual([undefined, undefined])
  rmSync(folder, { recursive: true })
})

test.each([
  ['vim -S a.vim b', ['script a.vim']],
  ['emacs --load a.el b', ['script a.el']],
  ['vim a b', []],
  ['sh -x', []],
  ['node run.js', ['script run.js']],
  ['npx a', []],
  ['yarn --silent run build', ['package package.json build']],
  ['bun run build', ['script build', 'package package.json build']],
  ['bun a.ts', ['script a.ts', 'package package.json a.ts']],
  ['bun -e x', []],
])('%s runs %j too', (line, files) => {
  const words = wordsOf(line)
  const found = scriptsOf(words, words[0] ?? '')
  expect(found.map(({ type, path, target }) => [type, path, ...(target === undefined ? [] : [target])].join(' '))).toEqual(files)
})

test('of a quoted script the quotes are taken off, and no other script runs with it', () => {
  const text = JSON.stringify({ scripts: { build: 'echo "a" \\ b', rebuild: 'c', pretest: 'd' }, other: { build: 'x' } })
  expect(packageScripts(text, 'build')).toEqual(['echo "a" \\ b'])
  expect(packageScripts(JSON.stringify({ scripts: { install: 'a', preinstall: 'b' } }), 'add')).toEqual(['a', 'b'])
})
