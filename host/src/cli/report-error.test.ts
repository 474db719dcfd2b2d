import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import { reportError } from './report-error.ts'

async function report(home: string, error: unknown, signal = new AbortController().signal): Promise<readonly [string, number]> {
  const said: string[] = []
  const codes: number[] = []
  const cli = { environment: { AGENT_HOME: home, MY_TOKEN: 'very-secret' }, profile: undefined, signal, installRoot: '/nowhere', cwd: '/' }
  await reportError({ ...cli, note: (text) => void said.push(text), exit: (code) => void codes.push(code) }, error)
  return [said.join('\n'), codes[0] ?? 0]
}

test('an error that nobody expected is one sentence, and the log has the place in the code without secrets', async () => {
  const home = mkdtempSync(join(tmpdir(), 'report-'))
  const sentence = 'agent: Something inside agent failed: no very good. The log has the details (agent logs errors).'
  expect(await report(home, new TypeError('no very good\nwith very-secret'))).toEqual([sentence, 1])
  const line = readFileSync(join(home, 'logs', 'errors.log'), 'utf8')
  expect(line).toContain('report-error.test.ts')
  expect(line).not.toContain('very-secret')
  writeFileSync(join(home, 'file'), '')
  expect((await report(join(home, 'file'), new Error('no')))[0]).toContain('no (and the log could not be written)')
  rmSync(home, { recursive: true })
})

test('what Ctrl-C stopped was interrupted, in whichever words it says so; other errors stay what they are', async () => {
  const home = mkdtempSync(join(tmpdir(), 'report-'))
  const stopped = AbortSignal.abort(fail('INTERRUPTED'))
  expect((await report(home, new DOMException('This operation was aborted', 'AbortError'), stopped))[1]).toBe(130)
  expect((await report(home, new Error('no'), stopped))[1]).toBe(1)
  expect((await report(home, new DOMException('This operation was aborted', 'AbortError')))[1]).toBe(1)
  rmSync(home, { recursive: true })
})

test('what the system says of a file is put in words, with the way out', async () => {
  const home = mkdtempSync(join(tmpdir(), 'report-'))
  const from = (act: () => void): unknown => {
    try {
      return act()
    } catch (error) {
      return error
    }
  }
  mkdirSync(join(home, 'folder'))
  writeFileSync(join(home, 'file'), '')
  const write = (name: string) =>
    report(
      home,
      from(() => writeFileSync(join(home, name), 'x')),
    )
  const choose = 'choose another place, or put a file there.'
  expect(await write('folder')).toEqual([`agent: ${join(home, 'folder')} is a folder and no file; ${choose}`, 1])
  expect((await write('missing/file'))[0]).toContain(
    'missing/file is not there, or the folder for it is not; make it, or choose another place.',
  )
  expect((await write('file/below'))[0]).toContain('file/below lies below something that is no folder; put a folder there.')
  rmSync(home, { recursive: true })
})

test('what is not part of this version is a wrong use', async () => {
  const error = fail('NOT_BUILT', { feature: 'agent x' })
  expect(await report('/nowhere', error)).toEqual(['agent: agent x is not part of this version yet.', 2])
})
