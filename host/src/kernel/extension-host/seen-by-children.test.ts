// @module-tag process
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BuiltProgram, buildChildProgram } from '../../../../test/support/child-program.ts'
import { needs, sayMissing } from '../../../../test/support/needs.ts'
import { findBwrap } from '../sandbox/find-bwrap.ts'
import { openExtensionRig, type RigPlugin } from './testing/extension-rig.ts'

let program: BuiltProgram
let person: string
beforeAll(async () => {
  program = await buildChildProgram()
  person = realpathSync(mkdtempSync(join(tmpdir(), 'person-')))
  for (const [file, text] of [
    ['.ssh/id_ed25519', 'a key'],
    ['.netrc', 'a password'],
    ['.config/agent/.env', 'SECRET=1'],
    ['notes.txt', 'a note'],
  ] as const) {
    mkdirSync(join(person, file, '..'), { recursive: true })
    writeFileSync(join(person, file), text)
  }
})
afterAll(async () => {
  rmSync(person, { recursive: true, force: true })
  await program[Symbol.asyncDispose]()
})

const fs = (read: readonly string[], write: readonly string[] = []) => ({
  permissions: { fs: { value: { read: [...read], write: [...write] }, reason: 'made up' } },
})
/** Without the limits of Node: what holds then is the sandbox. */
const open = (plugins: readonly RigPlugin[]) =>
  openExtensionRig({
    ...{ program: program.file, plugins, sandbox: 'auto', flags: new Set<string>() },
    person: { folder: person, homes: [join(person, '.config', 'agent')] },
  })

const reading = `const fs = await import('node:fs')
  return JSON.stringify(args.map((path) => { try { return fs.readFileSync(path, 'utf8') } catch (error) { return error.code } }))`
const read = async (rig: Awaited<ReturnType<typeof open>>, id: string, ...paths: readonly string[]): Promise<readonly string[]> =>
  JSON.parse(await rig.run(id, paths)) as readonly string[]

describe('a sandboxed child', needs(findBwrap() || process.env.CI ? undefined : sayMissing('bwrap', 'bubblewrap')), () => {
  test('sees neither keys nor homes of the agent where it may read what they are in', async () => {
    const files = ['notes.txt', '.ssh/id_ed25519', '.netrc', '.config/agent/.env'].map((name) => join(person, name))
    await using rig = await open([
      { id: 'wide', tool: reading, manifest: fs(['/']) },
      { id: 'near', tool: reading, manifest: fs([person]) },
      { id: 'named', tool: reading, manifest: fs([person, join(person, '.ssh')]) },
    ])
    const hidden = [expect.stringMatching(/^E/), expect.stringMatching(/^E/)]
    // The folder for temporary files is its own, whatever else it may read.
    expect(await read(rig, 'wide', '/etc/passwd', ...files)).toEqual([expect.stringMatching(/^\w/), 'ENOENT', 'ENOENT', ...hidden])
    expect(await read(rig, 'near', ...files)).toEqual(['a note', 'ENOENT', ...hidden])
    expect(await read(rig, 'named', ...files)).toEqual(['a note', 'a key', ...hidden])
  })

  test('that may read the whole disk sees no door of another child, and no process beside it', async () => {
    const list = `const fs = await import('node:fs')
      return JSON.stringify([fs.readdirSync(${JSON.stringify(tmpdir())}).filter((name) => name.startsWith('agent-')), fs.readdirSync('/run'), fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name))])`
    await using rig = await open([
      { id: 'caller', manifest: { permissions: { net: { value: ['example.org'], reason: 'made up' } } } },
      { id: 'wide', tool: list, manifest: fs(['/', tmpdir()]) },
    ])
    await rig.run('caller')
    expect(JSON.parse(await rig.run('wide'))).toEqual([[], [], ['1']])
  })

  test('gets nothing more by a link that a plugin put where it may write', async () => {
    const plant = `(await import('node:fs')).symlinkSync(args.to, args.link); return 'planted'`
    await using rig = await open([
      { id: 'planter', tool: plant, manifest: fs([], ['$workspace']) },
      { id: 'reader', tool: reading, manifest: fs(['$workspace/sub']) },
    ])
    const link = join(rig.folder.home, 'workspace', 'sub')
    expect(await rig.run('planter', { to: join(person, '.ssh'), link })).toBe('planted')
    expect(readFileSync(join(link, 'id_ed25519'), 'utf8')).toBe('a key')
    expect(await read(rig, 'reader', join(link, 'id_ed25519'), join(person, '.ssh', 'id_ed25519'))).toEqual(['ENOENT', 'ENOENT'])
    expect(rig.lines).toContainEqual(
      expect.stringMatching(/it declares \$workspace\/sub, which is not shown to it: .* is a link in a folder/),
    )
  })

  test('cannot move the folder in which a home lies, where it may write around it', async () => {
    const tool = `const fs = await import('node:fs')
      try { fs.renameSync(args + '/.config', args + '/moved'); return 'moved' } catch (error) { return error.code }`
    await using rig = await open([{ id: 'mine', tool, manifest: fs([], [person]) }])
    expect(await rig.run('mine', person)).toBe('EBUSY')
    expect(readFileSync(join(person, '.config', 'agent', '.env'), 'utf8')).toBe('SECRET=1')
  })

  test('writes what it declares, made where it was not there', async () => {
    const tool = `(await import('node:fs')).writeFileSync(args, 'written'); return 'done'`
    const file = join(person, 'lists', 'today.md')
    await using rig = await open([{ id: 'mine', tool, manifest: fs([], [file]) }])
    expect(await rig.run('mine', file)).toBe('done')
    expect(readFileSync(file, 'utf8')).toBe('written')
  })
})
