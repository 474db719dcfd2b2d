import { expect, test } from 'vitest'
import { unwrapCommand } from './unwrap-command.ts'
import { wrappers } from './wrappers.ts'

const wordsOf = (line: string): readonly string[] => line.split(' ')
const ends = wordsOf('rm -r a')

/** As many arguments as a wrapper takes before the program; its own word first. */
function around(name: string, option = ''): readonly string[] {
  const { verbs, before = 0 } = wrappers[name] ?? {}
  const verb = verbs === undefined ? '' : (['run', 'exec'].find((each) => verbs.test(each)) ?? '')
  return [name, verb, option, ...Array<string>(before).fill('before')].filter((word) => word !== '')
}

test.each(Object.keys(wrappers))('%s is taken away, with every option that it is known to have', (name) => {
  const { flags = '', valued = '', longFlags = '', longValued = '' } = wrappers[name] ?? {}
  const names = (text: string): readonly string[] => text.split(' ').filter((each) => each !== '')
  const alone = [...[...flags].map((letter) => `-${letter}`), ...names(longFlags).map((each) => `--${each}`), '--help', '--version', '--']
  const taking = [...[...valued].map((letter) => `-${letter}`), ...names(longValued).map((each) => `--${each}`)]
  const lines = [around(name), ...alone.map((option) => around(name, option)), ...taking.map((option) => around(name, `${option} value`))]
  for (const line of lines) {
    const { words, unsure } = unwrapCommand([...line.flatMap((word) => word.split(' ')), ...ends])
    expect([line.join(' '), words, unsure]).toEqual([line.join(' '), ends, false])
  }
})

test.each([
  ['sudo -u root rm -r a', ['sudo']],
  ['sudo -uroot rm -r a', ['sudo']],
  ['sudo -Eu root rm -r a', ['sudo']],
  ['sudo --user=root rm -r a', ['sudo']],
  ['sudo --us root rm -r a', ['sudo']],
  ['sudo --backg rm -r a', ['sudo']],
  ['sudo A=1 rm -r a', ['sudo']],
  ['sudo nice -n 5 timeout -s KILL 5 rm -r a', ['sudo', 'nice', 'timeout']],
  ['/usr/bin/sudo -- /bin/rm -r a', ['sudo']],
  ['nice -5 rm -r a', ['nice']],
  ['nice --adjustment 5 rm -r a', ['nice']],
  ['timeout -k 5 10 rm -r a', ['timeout']],
  ['poetry -v run rm -r a', ['poetry']],
  ['env - rm -r a', ['env', '-']],
  ['if ! { rm -r a', []],
  ['coproc NAME { rm -r a', []],
  ['$(which rm) -r a', []],
  ['$(npm bin)/tools/rm -r a', []],
])('of %s remains rm', (line, around) => {
  const words = line.startsWith('$(') ? [`${line.split(' -r')[0]}`, '-r', 'a'] : wordsOf(line)
  expect(unwrapCommand(words)).toMatchObject({ words: ends, wrappers: around, unsure: false })
})

test.each([
  ['sudo --made-up rm -r a', ends],
  ['sudo --made-up 10m rm -r a', ends],
  ['sudo --made-up KILL rm -r a', ends],
  ['sudo -! 5 rm -r a', ends],
  ['sudo --made-up value rm -r a', wordsOf('value rm -r a')],
  ['nice -5x rm -r a', ends],
])('an option that is not known is said to be so: %s', (line, words) => {
  expect(unwrapCommand(wordsOf(line))).toMatchObject({ words, unsure: true })
})

test.each([
  ['poetry install rm', 'poetry install rm'],
  ['npm run rm', 'npm run rm'],
  ['conda -n x', 'conda -n x'],
  ['constructor rm', 'constructor rm'],
  ['/etc/init.d/nginx stop', 'service nginx stop'],
  ['sudo', 'sudo'],
  ['git status', 'git status'],
  ['fi', ''],
])('%s is %s', (line, words) => {
  expect(unwrapCommand(wordsOf(line)).words.join(' ')).toBe(words)
})

test('a wrapper is told with its arguments, and the program as it is written', () => {
  expect(unwrapCommand(wordsOf('sudo -u root /bin/nice -5 ./rm -r a'))).toEqual({
    program: './rm',
    words: ends,
    wrappers: ['sudo', 'nice'],
    layers: [wordsOf('sudo -u root /bin/nice -5 ./rm -r a'), wordsOf('nice -5 ./rm -r a')],
    unsure: false,
  })
})
