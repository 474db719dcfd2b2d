// @module-tag process
import { afterAll, beforeAll } from 'vitest'
import { journalKills } from '../../testing/journal-kills.ts'
import type { SharedPlace } from '../../testing/journal-place.ts'
import { buildPrograms, type Programs } from '../../testing/programs.ts'
import { createTemporaryStore } from '../../testing/temporary-store.ts'

let programs: Programs

beforeAll(async () => {
  programs = await buildPrograms()
})
afterAll(() => programs[Symbol.asyncDispose]())

const createPlace = async (): Promise<SharedPlace> => {
  const temporary = await createTemporaryStore()
  return {
    ...temporary,
    async work(task) {
      const { output, signal, code } = await programs.run({ type: 'work', file: temporary.file, task })
      if (signal === 'SIGKILL') return 'killed'
      if (code !== 0) throw new Error(`the worker ended with ${code}: ${output}`)
      return 'idle'
    },
  }
}

journalKills('SQLite', createPlace, 20_261_121)
