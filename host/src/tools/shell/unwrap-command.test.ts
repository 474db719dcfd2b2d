import { expect, test } from 'vitest'
import { unwrapCommand } from './unwrap-command.ts'
import { wrappers } from './wrappers.ts'

const wordsOf = (line: string): readonly string[] => line.split(' ')
const ends = wordsOf('rm -r a')

/** As many arguments as a wrapper takes before the program; its own word first. */
function around(name: string, option = ''): readonly string[] {
  const { verbs, before = 0 } = wrappers[name] ?? {}
  const verb = verbs?.split(' ')[0] ?? ''
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

/** As their manuals show them. */
test.each(
  [
    'sudo -n -u root --preserve-env --user root',
    'doas -n -u root',
    'pkexec --keep-cwd --user root',
    'gosu ann',
    'su-exec ann',
    'runuser -l -u ann --pty --group users',
    'env -i -u A --null --unset B C=1',
    'dotenv -o -e .env --override',
    'setsid -f --wait',
    'time -p -o out --verbose --format %e',
    'nice -n 5',
    'ionice -t -c 3 --ignore --class idle',
    'stdbuf -o L --error 0',
    'timeout -v -k 5 --foreground --signal KILL 10',
    'gtimeout -v -k 5 --foreground --signal KILL 10',
    'command -p',
    'exec -c -a name',
    'unbuffer -p',
    'chroot --skip-chdir --userspec ann /srv',
    'caffeinate -i -t 60',
    'strace -f -e open --attach 12',
    'ltrace -f -o out',
    'taskset -c 0-3',
    'chrt -f --fifo --sched-runtime 5 10',
    'flock -n -w 5 --shared --timeout 5 file',
    'setpriv -d --no-new-privs --reuid ann',
    'unshare -r -S 0 --fork --root /srv',
    'nsenter -m -t 12 --net --target 12',
    'prlimit -p 12 --output x',
    'setarch -R x86_64',
    'systemd-run -t -p A=1 --scope --unit name',
    'systemd-inhibit --list --what sleep',
    'proxychains -q -f file',
    'proxychains4 -q -f file',
    'torsocks -i -p 9050',
    'dbus-run-session --config-file file',
    'xvfb-run -a -n 5 --auto-servernum --server-num 5',
    'fakeroot -u -s file',
    'rlwrap -a -H file',
    'ifne -n',
    'entr -c',
    'cpulimit -i -l 50',
    'numactl -m 0',
    'faketime -f yesterday',
    'xargs -0 -n 1 --null --max-args 1',
    'parallel -k -j 4 --bar --jobs 4',
    'uv run -q --with x --frozen',
    'conda run -n base --no-capture-output --name base',
    'micromamba run -n base --name base',
    'nodemon -w src --ext ts',
    'npx -y -p x --yes --package x',
    'bunx --bun',
    'npm exec -y -w x --yes --package x --',
    'npm x --',
    'pnpm exec',
    'pnpm dlx',
    'yarn dlx',
    'bundle exec',
    'rbenv exec',
    'pyenv exec',
    'asdf exec',
    'mise x --',
    'direnv exec .',
    'opam exec --',
    'poetry run',
    'pipenv run',
    'hatch run',
    'pdm run',
    'rye run',
    'rsudo -x',
  ].map((line) => [line]),
)('%s is taken away', (line) => {
  expect(unwrapCommand([...wordsOf(line), ...ends])).toMatchObject({ words: ends, wrappers: [wordsOf(line)[0]], unsure: false })
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
  ['bundle executable rm', 'bundle executable rm'],
  ['mise exe rm', 'mise exe rm'],
  ['conda -n x', 'conda -n x'],
  ['constructor rm', 'constructor rm'],
  ['/etc/init.d/nginx stop', 'service nginx stop'],
  ['sudo', 'sudo'],
  ['git status', 'git status'],
  ['A=1 rm', 'A=1 rm'],
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

test('of very many wrappers only so many are taken away', () => {
  const { wrappers: around, words } = unwrapCommand([...Array<string>(45).fill('nohup'), 'rm'])
  expect([around.length, words.length]).toEqual([40, 6])
})
