import { expect, test } from 'vitest'
import { packageScripts, programOf, scriptsOf } from './program-files.ts'

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
