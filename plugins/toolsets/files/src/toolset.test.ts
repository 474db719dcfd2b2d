import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ToolContext, ToolResult, ToolRun } from '@agent/plugin-sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { tools } from './tools.ts'
import toolset from './toolset.ts'

let workspace = ''

beforeEach(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'files-'))
})
afterEach(() => rm(workspace, { recursive: true }))

async function use(name: keyof typeof tools, args: object): Promise<ToolResult> {
  const opened = await toolset.open({ clock: { now: () => 0 } } as ToolContext<unknown>, call())
  const run = opened.tools[name] as ToolRun
  const nobody = async (): Promise<string> => ''
  const parsed = tools[name].parameters.parse(args)
  return run({ id: 'c', args: parsed, session: 's', turn: 't', workspace, progress: () => undefined, ask: nobody }, call())
}

const call = () => ({ id: 'c', signal: new AbortController().signal, deadline: 1000 })
const text = (result: ToolResult): string => (result.ok ? result.text : `failed: ${result.error.params.detail}`)
const used = async (name: keyof typeof tools, args: object): Promise<string> => text(await use(name, args))
const read = (path: string): Promise<string> => readFile(join(workspace, path), 'utf8')

async function put(files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(workspace, path)), { recursive: true })
    await writeFile(join(workspace, path), content)
  }
}

test('read_file numbers lines, pages, and says how to go on', async () => {
  await put({ 'a.txt': 'one\ntwo\r\nthree\n' })
  expect(await used('read_file', { path: 'a.txt' })).toBe('1|one\n2|two\n3|three')
  expect(await used('read_file', { path: 'a.txt', offset: 2, limit: 1 })).toBe('2|two\n(lines 2 to 2 of 3; go on with offset 3)')
  expect(await used('read_file', { path: join(workspace, 'a.txt'), offset: 3 })).toBe('3|three')
})

test('read_file transcodes UTF-16 and drops marks', async () => {
  const little = Buffer.from('\uFEFFgrün\nzwei', 'utf16le')
  await put({ le: little, be: Buffer.from(little).swap16(), mark: '\uFEFFgrün\nzwei' })
  for (const path of ['le', 'be', 'mark']) expect(await used('read_file', { path })).toBe('1|grün\n2|zwei')
})

test.each([
  ['a missing file', 'none', 'there is no such file'],
  ['a folder', '.', 'is a folder'],
  ['a binary file', 'binary', 'is a binary file'],
  ['a path through a file', 'small/x', 'is not a folder'],
  ['too much at once', 'wide', 'read fewer lines with offset and limit'],
  ['a device', '/dev/null', 'is not a regular file'],
])('read_file refuses %s in words', async (_name, path, problem) => {
  await put({ binary: new Uint8Array([1, 0, 2]), small: 'x', wide: `${'x'.repeat(100_001)}\n` })
  expect(await used('read_file', { path })).toContain(problem)
})

test('read_file names the length when the offset is behind the end, and an empty file is no failure', async () => {
  await put({ 'a.txt': 'one\n', empty: '' })
  expect(await used('read_file', { path: 'a.txt', offset: 9 })).toContain('has 1 lines')
  expect(await use('read_file', { path: 'empty' })).toEqual({ ok: true, text: '(the file is empty)' })
})

test('write_file makes folders, replaces, keeps the mode and leaves no draft', async () => {
  expect(await used('write_file', { path: 'new/deep/a.sh', content: 'one\ntwo\n' })).toContain('(2 lines, 8 bytes)')
  await chmod(join(workspace, 'new/deep/a.sh'), 0o750)
  expect(await used('write_file', { path: 'new/deep/a.sh', content: 'x' })).toContain('(1 line, 1 byte)')
  expect(await read('new/deep/a.sh')).toBe('x')
  expect((await stat(join(workspace, 'new/deep/a.sh'))).mode & 0o777).toBe(0o750)
  expect(await readdir(join(workspace, 'new/deep'))).toEqual(['a.sh'])
})

test('write_file tells people what changed, where that was a text', async () => {
  const diff = async (path: string, content: string): Promise<unknown> => {
    const result = await use('write_file', { path, content })
    return result.ok ? result.data : result.error
  }
  await put({ 'a.txt': 'one\ntwo\n', binary: new Uint8Array([1, 0, 2]) })
  expect(await diff('a.txt', 'one\n2\n')).toEqual({ diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2' })
  expect(await diff('new.txt', 'one\n')).toEqual({ diff: '--- a/new.txt\n+++ b/new.txt\n@@ -0,0 +1,1 @@\n+one' })
  expect(await diff('a.txt', 'one\n2\n')).toBeUndefined()
  expect(await diff('binary', 'text')).toBeUndefined()
})

test('write_file writes through a link and does not replace it', async () => {
  await put({ 'real.txt': 'old' })
  await symlink('real.txt', join(workspace, 'link.txt'))
  await used('write_file', { path: 'link.txt', content: 'new' })
  expect(await read('real.txt')).toBe('new')
})

test('write_file to a folder fails in words and leaves no draft', async () => {
  await put({ 'folder/a': 'x' })
  expect(await used('write_file', { path: 'folder', content: 'x' })).toMatch(/^failed: .*folder/)
  expect(await readdir(workspace)).toEqual(['folder'])
})

test('patch replaces one place and answers a unified diff', async () => {
  await put({ 'a.txt': 'a\nb\nc\nd\ne\nf\ng\nh\n' })
  const diff = '--- a/a.txt\n+++ b/a.txt\n@@ -2,7 +2,8 @@\n b\n c\n d\n-e\n+E\n+2\n f\n g\n h'
  expect(await used('patch', { path: 'a.txt', old_string: 'e', new_string: 'E\n2' })).toBe(diff)
  expect(await read('a.txt')).toBe('a\nb\nc\nd\nE\n2\nf\ng\nh\n')
})

test('patch keeps line ends and encoding', async () => {
  await put({ 'a.txt': Buffer.from('\uFEFFone\r\ntwo\r\nthree', 'utf16le') })
  await used('patch', { path: 'a.txt', old_string: 'one\ntwo', new_string: '1\n2' })
  expect((await readFile(join(workspace, 'a.txt'))).toString('utf16le')).toBe('\uFEFF1\r\n2\r\nthree')
})

test('patch refuses several places and names their lines, replace_all takes them all', async () => {
  await put({ 'a.txt': 'x = 1\ny = 2\nx = 1\n' })
  expect(await used('patch', { path: 'a.txt', old_string: 'x = 1', new_string: 'x = 3' })).toContain('2 times in')
  expect(await read('a.txt')).toBe('x = 1\ny = 2\nx = 1\n')
  await used('patch', { path: 'a.txt', old_string: 'x = 1', new_string: 'x = $&', replace_all: true })
  expect(await read('a.txt')).toBe('x = $&\ny = 2\nx = $&\n')
})

test('patch that finds nothing shows the nearest lines and changes nothing', async () => {
  await put({ 'a.ts': 'const first = 1\nconst second = 2\n' })
  const problem = await used('patch', { path: 'a.ts', old_string: 'const secnd = 2', new_string: '' })
  expect(problem).toContain('does not stand in')
  expect(problem).toContain('2|const second = 2')
  expect(await used('patch', { path: 'a.ts', old_string: 'const', new_string: 'const' })).toContain('the same')
  expect(await used('patch', { path: 'none', old_string: 'a', new_string: 'b' })).toContain('there is no such file')
})

test('search_files finds contents, honours globs and .gitignore, and skips what is never of interest', async () => {
  await put({
    '.gitignore': 'secret/\n*.log\n!keep.log\n/top.txt',
    'a.ts': 'one needle\ntwo\n',
    'b/c.md': 'needle',
    'b/top.txt': 'needle',
    'top.txt': 'needle',
    'x.log': 'needle',
    'keep.log': 'needle',
    'secret/s.txt': 'needle',
    'node_modules/n.js': 'needle',
    'bin.dat': new Uint8Array([110, 0]),
  })
  expect(await used('search_files', { pattern: 'n..dle' })).toBe(
    'a.ts:1:one needle\nb/c.md:1:needle\nb/top.txt:1:needle\nkeep.log:1:needle',
  )
  expect(await used('search_files', { pattern: 'needle', file_glob: '*.{ts,md}', output_mode: 'files_only' })).toBe('a.ts\nb/c.md')
  expect(await used('search_files', { pattern: 'o', file_glob: 'a.ts', output_mode: 'count' })).toBe('a.ts: 2')
  expect(await used('search_files', { pattern: 'two', context: 1 })).toBe('a.ts-1-one needle\na.ts:2:two\na.ts-3-\n--')
  expect(await used('search_files', { pattern: 'needle', path: 'b/c.md' })).toBe('c.md:1:needle')
  expect(await used('search_files', { pattern: 'absent' })).toBe('Nothing found.')
})

test('search_files does not look into files of credentials', async () => {
  await put({ '.env': 'KEY=needle', '.env.local': 'needle', 'sub/auth.json': 'needle', 'env.ts': 'needle' })
  expect(await used('search_files', { pattern: 'needle' })).toBe('env.ts:1:needle')
  expect(await used('search_files', { pattern: 'needle', path: '.env' })).toBe('Nothing found.')
  expect(await used('search_files', { target: 'files', pattern: '.env' })).toBe('.env')
})

test('search_files finds files by name and pages', async () => {
  await put({ 'a.ts': '', 'b/a.test.ts': '', 'b/c.ts': '', 'd.md': '' })
  expect(await used('search_files', { target: 'files', pattern: '*.ts' })).toBe('a.ts\nb/a.test.ts\nb/c.ts')
  expect(await used('search_files', { target: 'files', pattern: 'b/**' })).toBe('b/a.test.ts\nb/c.ts')
  expect(await used('search_files', { target: 'files', pattern: '*.ts', limit: 1 })).toBe('a.ts\n(more; go on with offset 1)')
  expect(await used('search_files', { target: 'files', pattern: '*.ts', limit: 1, offset: 2 })).toBe('b/c.ts')
})

test('search_files survives a hostile expression, a broken one and a missing folder', async () => {
  await put({ 'a.txt': `${'a'.repeat(40)}b` })
  expect(await used('search_files', { pattern: '(a+)+$' })).toContain('takes too long')
  expect(await used('search_files', { pattern: '(' })).toContain('Invalid regular expression')
  expect(await used('search_files', { pattern: 'x', path: 'none' })).toContain('there is no such file')
})
