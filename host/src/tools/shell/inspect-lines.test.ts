import { expect, test } from 'vitest'
import { type Inspection, inspectCommand } from './inspect-command.ts'

const place = { workspace: '/home/ann/work', folder: '/home/ann/work', userHome: '/home/ann', home: '/home/ann/.agent' }
const inspect = (source: string): Inspection => inspectCommand(source, place)
const linesOf = (source: string): readonly string[] => [...inspect(source).lines]
const findingsOf = (source: string): readonly string[] => linesOf(source).filter((line) => line.startsWith(':'))
const pathsOf = (source: string): readonly string[] =>
  inspect(source).paths.map(({ path, use, tree }) => `${use}${tree ? ' all of' : ''} ${path.replace('/home/ann/work/', '')}`)

test.each([
  ['ls -l', ['ls -l']],
  ['A=1 sudo -u bob ls > b', ['ls >/home/ann/work/b', 'A=1 sudo ls >/home/ann/work/b']],
  ['ls &', ['ls', 'ls &']],
  ['ls a | wc -l', ['ls a', 'wc -l', 'ls a | wc -l']],
  ['A=1 ls | wc', ['ls', 'A=1 ls', 'wc', 'ls | wc', 'A=1 ls | wc']],
  ['x "a | b; c > d & e < f"', ['x a␣¦␣b；␣c␣›␣d␣＆␣e␣‹␣f']],
  ['rm a', ['rm /home/ann/work/a']],
  ['chmod +x .', ['chmod +x /home/ann/work']],
  ['chmod +x a', ['chmod +x a']],
  ['cat <<< x', ['cat <<']],
  ['psql <<< "drop x"', ['psql <<drop␣x']],
  ['git push --dry-run', ['says:git']],
])('the lines of %j are %j', (source, lines) => {
  expect(linesOf(source)).toEqual(lines)
})

test('of a very long line the beginning is held against the patterns, and that it was too long is told', () => {
  const [line = '', finding] = linesOf(`ls ${'x'.repeat(9000)}`)
  expect([line.length, finding]).toEqual([8000, ':too-long'])
  expect(findingsOf(`ls ${'x'.repeat(7000)}`)).toEqual([])
})

test('the deny list sees what only says something, and every program with what stands around it', () => {
  const { said, executables } = inspect('sudo git push --dry-run && ls')
  expect([[...said], [...executables]]).toEqual([['git push --dry-run'], ['git', 'sudo', 'ls']])
})

test.each([
  ['LD_PRELOAD=x ls', [':loads']],
  ['export LD_PRELOAD=x', [':loads']],
  ['NODE_OPTIONS=--require=./x node a', [':loads']],
  ['NODE_OPTIONS=--max-old-space-size=9 node a', []],
  ['JAVA_OPTS=-javaagent:x java a', [':loads']],
  ['JAVA_OPTS=-Xmx1g java a', []],
  ['OTHER=-javaagent:x java a', []],
  ['PYTHONPATH=/tmp/x python3 a.py', [':loads']],
  ['PYTHONPATH=src:/var/tmp python3 a.py', [':loads']],
  ['PYTHONPATH=src python3 a.py', []],
  ['PYTHONPATH=src/tmp python3 a.py', []],
  ['IFS=,; ls', [':decoded']],
  ['IFS=, read a', []],
  ['echo $(echo cm0= | base64 -d)', [':decoded']],
  ['echo $(date)', []],
  ['sudo --made-up ls', [':unsure']],
  ['cd "$X"; rm b', [':unknown-folder']],
  ['pushd /srv; popd; cp a b', [':unknown-folder']],
  ['cd "$X"; ls', []],
  ['cd "$X"; cat /etc/hosts', []],
  ['python3 -c "import shutil; shutil.rmtree(x)"', [':harmful-script', ':tree-script']],
  ['python3 -c "import os; os.popen(x)"', [':harmful-script']],
  ['python3 -c "print(1)"', []],
  ['python3 -c \'print("rm (a")\'', [':harmful-script', ':tree-script']],
  [`python3 -c "print('${'a'.repeat(50)}')"`, []],
  ['curl -s https://x.org > s; sh s', [':made-here']],
  ['echo ls > s; sh s', []],
])('%j is found to be %j', (source, found) => {
  expect([...findingsOf(source)].sort()).toEqual(found)
})

test.each([
  ["GIT_SSH_COMMAND='rm one' git fetch", 'remove one'],
  ["PAGER='|rm one' man x", 'remove one'],
  ["export EDITOR='rm one'", 'remove one'],
  ['ed x <<E\n!rm one\nE', 'remove one'],
  ['gdb <<E\nshell rm one\nE', 'remove one'],
  ['sqlite3 x <<E\n.shell rm one\nE', 'remove one'],
  ['source <(echo rm one)', 'remove one'],
  ['. <(echo rm one)', 'remove one'],
  ['bash <<< "rm one"', 'remove one'],
  ["printf '#!/bin/bash\\nrm one\\n' > s; ./s", 'remove one'],
  ['printf \'#!/usr/bin/env python3\\nimport shutil\\nshutil.rmtree("./one")\\n\' > s; ./s', 'remove all of one'],
  ['echo \'import shutil; shutil.rmtree("./one")\' > a.py; python3 a.py', 'remove all of one'],
  ['echo \'import shutil; shutil.rmtree("./one")\' > a.py; python3 -c "import a"', 'remove all of one'],
  ['python3 <<< \'open("./one", "w")\'', 'write one'],
  ['python3 -c \'os.system("rm -r one")\'', 'remove all of one'],
  ['python3 -c \'open("./one")\'', 'read one'],
  ['find a b -name one | xargs rm', 'remove a/one'],
  ['find a | xargs cat', 'read all of a'],
  ["parallel 'rm one' ::: x", 'remove one'],
  ["sh -c 'cd a'; rm one", 'remove a/one'],
  ['echo rm one | at now', 'remove one'],
  ["docker run image sh -c 'rm one'", 'remove one'],
])('%j: %s', (source, path) => {
  expect(pathsOf(source)).toContain(path)
})

test.each([
  ['cat <<E\n!rm one\nE', 'remove one'],
  ["PAGER='' man x", 'remove one'],
  ["PAGERS='rm one' man x", 'remove one'],
  ['python3 <<< \'print("one")\'', 'read one'],
  ['python3 -c \'print("echo one")\'', 'remove one'],
  ["x 'rm'", 'remove one'],
  ['xargs rm', 'remove /home/ann/work'],
])('%j does not %s', (source, path) => {
  expect(pathsOf(source)).not.toContain(path)
})

test('a script that brings in more than anybody looks up is one that nobody knows', () => {
  const names = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `m${at}`)
  const making = (count: number): string =>
    [...names(count).map((name) => `echo 'x = 1' > ${name}.py`), `python3 -c 'import ${names(count).join(', ')}'`].join('\n')
  expect([findingsOf(making(90)).includes(':made-here'), findingsOf(making(120)).includes(':made-here')]).toEqual([false, true])
  const looking = (count: number): string => `echo x > a.py\npython3 -c 'import ${names(count).join(', ')}'`
  expect([findingsOf(looking(100)).includes(':made-here'), findingsOf(looking(1600)).includes(':made-here')]).toEqual([false, true])
})

const runsOf = (source: string): readonly (readonly [string, string])[] => inspect(source).runs.map((run) => [run.program, run.place])

test.each([
  ['ls', 'usual'],
  ['./a', 'workspace'],
  ['a/b', 'workspace'],
  ['/home/ann/work/a', 'workspace'],
  ['/home/ann/worked/a', 'elsewhere'],
  ['/usr/local/bin/a', 'usual'],
  ['/usr/bin/deep/a', 'usual'],
  ['/srv/usr/bin/a', 'elsewhere'],
  ['/opt/tool/bin/a', 'usual'],
  ['~/.cargo/bin/a', 'usual'],
  ['~/a', 'elsewhere'],
  ['/srv/node_modules/.bin/a', 'usual'],
  ['/srv/.venv/bin/a', 'usual'],
  ['$(npm bin)/a', 'usual'],
])('%s comes from a place that is: %s', (program, from) => {
  expect(runsOf(program)[0]).toEqual([program, from])
})

test('what a command makes, or only may run, is no program of others', () => {
  expect(runsOf('greet() { ls; }; greet')).toEqual([['ls', 'usual']])
  expect(runsOf('alias ll=ls; ll | function_x')).toEqual([
    ['alias', 'usual'],
    ['ls', 'usual'],
    ['function_x', 'usual'],
  ])
  expect(runsOf('echo ls > /srv/s; /srv/s').at(-1)).toEqual(['ls', 'usual'])
  expect(runsOf("tmux new 'frobnicate now'")).toEqual([['tmux', 'usual']])
})

test.each([
  ['npx @scope/name', 'package'],
  ['npx owner/name', 'package'],
  ['npx git+https://x.org/a', 'package'],
  ['npx name', 'usual'],
  ['npx ./name', 'workspace'],
  ['env @scope/name', 'workspace'],
])('%s runs what comes from a place that is: %s', (source, from) => {
  expect(inspect(source).runs.at(0)).toMatchObject({ place: from, isFetched: source.startsWith('npx') })
})

test.each([
  ['python3 /srv/a.py', '/srv/a.py'],
  ['python3 a.py', undefined],
  ['python3 /dev/stdin', undefined],
  ['source ~/.bashrc', undefined],
  ['. ~/.nvm/nvm.sh', undefined],
  ['. ~/venv/bin/activate', undefined],
  ['source ~/setup.sh', '/home/ann/setup.sh'],
  ['source /srv/.profile', '/srv/.profile'],
  ['sh ~/.bashrc', '/home/ann/.bashrc'],
  ['make -f /srv/a', undefined],
  ['npm --prefix /srv run a', undefined],
  ['echo ls > /srv/s; sh /srv/s', undefined],
])('%j runs the script %s of another folder', (source, script) => {
  expect(inspect(source).runs.find(({ script: found }) => found !== undefined)?.script).toBe(script)
})
