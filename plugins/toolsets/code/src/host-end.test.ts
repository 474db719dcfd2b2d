// @module-tag process
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BuiltProgram, buildProgram } from '../../../../test/support/child-program.ts'
import { places } from '../test/open-code.ts'

const folder = mkdtempSync(join(tmpdir(), 'code-host-'))
let program: BuiltProgram
beforeAll(async () => {
  const contents = `
    import { openCode } from './open-code.ts'
    const [folder, place, mark, language, code] = process.argv.slice(2)
    const open = await openCode({ folder, place, environment: { CODE_TEST: mark } })
    const tools = { call: async () => (console.log('busy'), { ok: true, text: '' }) }
    await open.run(language, code, { tools })
    console.log('idle')
    setInterval(() => undefined, 1000)`
  program = await buildProgram(contents, fileURLToPath(new URL('../test', import.meta.url)))
})
afterAll(async () => {
  await program[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const scripts = {
  python: {
    idle: "import subprocess\nsubprocess.Popen(['sleep', '60'])",
    busy: "try:\n    read_file('a')\nexcept ToolError:\n    pass\nwhile True:\n    pass",
  },
  javascript: {
    idle: "import { spawn } from 'node:child_process'\nspawn('sleep', ['60'], { stdio: 'ignore' }).unref()",
    busy: "await read_file('a').catch(() => undefined)\nfor (;;);",
  },
} as const

const rows = (['python', 'javascript'] as const).flatMap((language) =>
  (['idle', 'busy'] as const).flatMap((state) => places.map((place) => [language, state, place] as const)),
)

test.each(rows)('an interpreter of %s that is %s %s ends when what started it is killed', async (language, state, place) => {
  const mark = `${process.pid}-${language}-${state}-${place.length}`
  const words = [program.file, folder, place, mark, language, scripts[language][state]]
  const host = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [said] = await once(host.stdout, 'data')
  expect(String(said)).toBe(`${state}\n`)
  expect(marked(mark).length).toBeGreaterThan(0)
  host.kill('SIGKILL')
  await expect.poll(() => marked(mark), { timeout: 10_000 }).toEqual([])
})

/** The processes that have the mark in their environment. */
function marked(mark: string): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, 'latin1').includes(`CODE_TEST=${mark}`)
    } catch {
      return false
    }
  })
}
