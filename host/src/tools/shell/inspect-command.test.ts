import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Inspection, inspectCommand } from './inspect-command.ts'
import type { CommandPlace } from './walk.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inspect-'))
  for (const name of ['home', 'work', 'work/a', 'work/b', 'user']) mkdirSync(join(folder, name))
  symlinkSync('/etc', join(folder, 'work', 'link'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function inspect(source: string, more: Partial<CommandPlace> = {}): Inspection {
  const work = join(folder, 'work')
  return inspectCommand(source, { workspace: work, folder: work, userHome: join(folder, 'user'), home: join(folder, 'home'), ...more })
}
/** What is touched, below the folder of the test. */
const touched = (source: string): readonly string[] =>
  inspect(source).paths.map(({ path, use, tree }) => `${use}${tree ? ' all of' : ''} ${path.replace(`${folder}/`, '')}`)

test.each([
  ['rm -r a', ['remove all of work/a']],
  ['cd a && rm b', ['remove work/a/b']],
  ['cd -P a && rm b', ['remove work/a/b']],
  ['cd -- a && rm b', ['remove work/a/b']],
  ['cd && rm b', ['remove user/b']],
  ['cd link && rm b', ['remove /etc/b']],
  ['(cd a); rm b', ['remove work/b']],
  ['cd a | rm b', ['remove work/b']],
  ['cd a & rm b', ['remove work/b']],
  ['env --chdir=a rm b', ['remove work/a/b']],
  ['env -C a rm b; rm c', ['remove work/a/b', 'remove work/c']],
  ['xargs rm <<< "one two"', ['remove work/one', 'remove work/two']],
  ['echo one two | xargs rm', ['remove work/one', 'remove work/two']],
  ['echo one | parallel rm', ['remove work/one']],
  ['find a -name one -delete', ['remove all of work/a/one']],
  ['find a', []],
  ['find a -exec rm {} +', ['remove all of work/a', 'read all of work/a', 'remove work/{}']],
  ['sh -c "rm a"', ['remove work/a']],
  ['sh -c \'rm "$1"\' name a', ['remove work/a']],
  ['sh -c \'rm "$@"\' name a b', ['remove work/a', 'remove work/b']],
  ['sh -c "F=a" name; F=b; sh -c "F=c" name; rm $F', ['remove work/b']],
  ["eval 'rm a$0'", ['remove work/a']],
  ['find a -exec', ['read all of work/a']],
  ['echo "rm a" | sh', ['remove work/a']],
  ['echo "rm one" > s; sh s', ['write work/s', 'remove work/one']],
  ['echo "rm one" > s; sh < s', ['write work/s', 'read work/s', 'remove work/one']],
  ['echo "rm one" > s; sh > s', ['write work/s', 'write work/s']],
  ['rm $USER $LOGNAME', ['remove work/user', 'remove work/user']],
  ['rm $HOME/a $AGENT_HOME/b $PWD/c', ['remove user/a', 'remove home/b', 'remove work/c']],
  [`rm a\${IFS}b`, ['remove work/a', 'remove work/b']],
  ['echo "rm one" | tee s; sh s', ['write work/s', 'remove work/one']],
  ['echo "rm one" | cat s; sh s', []],
  ['echo "import shutil; shutil.rmtree(\'one\')" | python3', ['remove all of work/one']],
  ['ln -s /etc; rm etc/b', ['remove /etc/b']],
  ['ln -s /etc c; rm c/b', ['remove /etc/b']],
  ['ln -s /etc c; rm a; rm cd', ['remove work/a', 'remove work/cd']],
  ['cd a; cd -; rm b', ['remove b']],
  ['cd gone && rm b', ['remove work/gone/b', 'remove work/b']],
  ['echo "rm one" > s; cat s | sh', ['write work/s', 'read work/s', 'remove work/one']],
  ["printf 'all:\\n\\trm one\\n' > Makefile; make", ['write work/Makefile', 'remove work/one']],
  [`echo '{"scripts": {"build": "rm one"}}' > package.json; bun run build`, ['write work/package.json', 'remove work/one']],
  [`echo '{"scripts": {"build": "rm one"}}' > package.json; npm run build`, ['write work/package.json', 'remove work/one']],
  ['select x in one two; do rm $x; done', ['remove work/one', 'remove work/two']],
  ['F=b; (rm a)', ['remove work/a']],
])('%j touches %j', (source, paths) => {
  expect(touched(source)).toEqual(expect.arrayContaining([...paths]))
  if (paths.length === 0) expect(touched(source).filter((path) => !path.startsWith('read'))).toEqual([])
})

const findings = (source: string, more: Partial<CommandPlace> = {}): readonly string[] =>
  [...inspect(source, more).lines].filter((line) => line.startsWith(':'))

test.each([
  ['docker run -v /etc:/etc image', [':container-mount']],
  ['docker run --volume=/etc:/etc image', [':container-mount']],
  ['docker run --mount=type=bind,source=/etc,target=/etc image', [':container-mount']],
  ['docker run --mount type=bind,src=/etc,target=/etc image', [':container-mount']],
  ['docker run -v ./a:/a image', []],
  ['docker run -v cache:/a image', []],
  ['kill 77', [':own-process']],
  ['kill -9 -77', [':own-process']],
  ['kill 78', []],
  [':(){ :|:& };:', [':calls-itself']],
  ['f(){ echo; }; f', []],
  ['f(){ echo; }; A=1 &', []],
  ['f(){ f|f& }; f', [':calls-itself']],
  ['f(){ f|f; }; f', []],
])('%j is found to be %j', (source, found) => {
  expect(findings(source, { ownProcesses: [77] })).toEqual(expect.arrayContaining([...found]))
  if (found.length === 0) expect(findings(source, { ownProcesses: [77] })).toEqual([])
})

test('what a text for a shell names and gives a value is known there, and what another program is told is not looked at so', () => {
  const lineOf = (source: string): string => [...inspect(source).lines][0] ?? ''
  expect(lineOf("sh -c 'for i in 1; do rm $i; done'")).toContain('＄i')
  expect(lineOf("sh -c 'rm $i now'")).not.toContain('＄')
  expect(lineOf("watch 'for i in 1; do rm $i; done'")).not.toContain('＄')
})

test('what a command does in the home is told, under both names of a home that is a link', () => {
  const link = join(folder, 'link-to-home')
  symlinkSync(join(folder, 'home'), link)
  for (const source of [`cd ${link} && touch a`, `cd ${join(folder, 'home')} && touch a`])
    expect(findings(source, { home: link }), source).toEqual([':own-home'])
  expect(findings(`cd ${link} && ls`, { home: link })).toEqual([])
})

test('where links lead is looked up again for each command', () => {
  const [home, way] = [join(folder, 'link-to-home'), join(folder, 'work', 'way')]
  const command = `cd ${way} && touch a`
  symlinkSync(join(folder, 'work'), home)
  expect(findings(command, { home })).toEqual([])
  symlinkSync(join(folder, 'home'), way)
  expect(findings(command, { home })).toEqual([])
  rmSync(home)
  symlinkSync(join(folder, 'home'), home)
  expect(findings(command, { home })).toEqual([':own-home'])
})

test('a file that was written in this session is what it holds', () => {
  const file = join(folder, 'work', 'made.sh')
  writeFileSync(file, 'rm one')
  expect(inspect('sh made.sh', { written: new Set([file]) }).paths.map(({ use }) => use)).toContain('remove')
  expect(inspect('sh made.sh').paths.map(({ use }) => use)).not.toContain('remove')
})

test('what is fetched lies here under its own name, unless it is given another one', () => {
  const last = (source: string) => inspect(source).runs.at(-1)
  expect(last('wget https://x.org/s?x=1; ./s')).toMatchObject({ program: './s', isTextKnown: false })
  const elsewhere = (source: string): string | undefined => last(`cd ${join(folder, 'user')}; ${source}; sh s`)?.script
  expect(elsewhere('true')).toBe(join(folder, 'user', 's'))
  expect(elsewhere('wget https://x.org/s?x=1#top')).toBeUndefined()
  expect(elsewhere('curl -LO https://x.org/s')).toBeUndefined()
  expect(elsewhere('wget -qO t https://x.org/s')).toBe(join(folder, 'user', 's'))
  expect(elsewhere('curl https://x.org/s')).toBe(join(folder, 'user', 's'))
})

test('what stands in brackets runs, unless they hold a list', () => {
  const programs = (source: string): readonly string[] => inspect(source).runs.map(({ program }) => program)
  expect([programs('F=b; (frobnicate)'), programs('F=(frobnicate)')]).toEqual([['frobnicate'], []])
})

test('a container that is given nothing of this machine mounts nothing', () => {
  expect(inspect('cd /; docker run image ls').lines).not.toContain(':container-mount')
  expect(inspect('cd /; docker run -v /etc:/etc image ls').lines).toContain(':container-mount')
})

test('a script that feeds itself to a shell ends', () => {
  expect(() => inspect('echo "cat s | sh" > s; sh s')).toThrow('too deep')
})

test('a command of more commands than anybody reads is refused', () => {
  expect(() => inspect('ls\n'.repeat(4000))).toThrow()
  expect(inspect('ls\n'.repeat(100)).runs).toHaveLength(100)
})
