// @module-tag process
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { missingProgram, needs } from '../../../../test/support/needs.ts'
import { buildPrograms, type Programs } from '../testing/programs.ts'
import { createTemporaryStore } from '../testing/temporary-store.ts'

const bwrap = '/usr/bin/bwrap'
const readOnly = [bwrap, '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc']

let programs: Programs

beforeAll(async () => {
  programs = await buildPrograms()
})
afterAll(() => programs[Symbol.asyncDispose]())

describe('in a sandbox', needs(missingProgram(bwrap, 'bubblewrap')), () => {
  test('a full disk answers busy, writes nothing by halves and is used again once there is room', async () => {
    await using temporary = await createTemporaryStore()
    const disk = join(temporary.folder, 'disk')
    mkdirSync(disk)
    const small = [...readOnly, '--size', '1048576', '--tmpfs', disk]
    const end = await programs.run({ type: 'fill', file: join(disk, 'state.db'), ballast: disk }, small)
    expect(end).toMatchObject({ code: 0 })
    const seen = JSON.parse(end.output) as { accepted: number }
    expect(seen.accepted).toBeGreaterThan(0)
    expect(seen).toEqual({
      accepted: seen.accepted,
      refused: { status: 'busy', retryAfterMs: 10_000 },
      turn: 'STORE_FULL',
      after: 'accepted',
      pending: seen.accepted + 1,
      sessions: 0,
      sound: 'ok',
    })
  })

  test('a file that may not be written is unusable, not damaged', async () => {
    await using temporary = await createTemporaryStore()
    await (await temporary.open()).close()
    const end = await programs.run({ type: 'write', file: temporary.file, name: 'a', count: 1 }, readOnly)
    expect(end).toMatchObject({ code: 1, output: '"HOME_UNUSABLE"\n' })
    expect(readdirSync(temporary.folder)).toEqual(['state.db'])
  })
})
