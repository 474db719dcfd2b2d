// @module-tag process
import { afterAll, beforeAll, expect, test } from 'vitest'
import { messageOf } from '../testing/messages.ts'
import { buildPrograms, type Programs } from '../testing/programs.ts'
import { createTemporaryStore } from '../testing/temporary-store.ts'

let programs: Programs

beforeAll(async () => {
  programs = await buildPrograms()
})
afterAll(() => programs[Symbol.asyncDispose]())

test('three processes make the file and write to it at once; nobody is turned away and nothing is lost', async () => {
  await using temporary = await createTemporaryStore()
  const count = 150
  const write = (name: string) => programs.run({ type: 'write', file: temporary.file, name, count })
  const others = [write('a'), write('b')]
  const { journal, sessions } = await temporary.open()
  for (let n = 0; n < count; n++) expect(await journal.accept('irc', messageOf(`own-${n}`))).toMatchObject({ status: 'accepted' })
  for (const end of await Promise.all(others)) expect(end).toEqual({ output: '"written"\n', code: 0, signal: null })
  expect(await journal.pending()).toMatchObject([{ inbox: 3 * count }])
  for (const id of ['ses_a', 'ses_b']) expect(await sessions.history(id)).toHaveLength(count)
  expect(temporary.warnings).toEqual([])
})
