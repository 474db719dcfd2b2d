// @module-tag process
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { diceFiles, type InstallStage, openInstallStage } from '../support/install-stage.ts'
import { missingProgram, needs } from '../support/needs.ts'

const program = fileURLToPath(new URL('../../host/bin/agent.mjs', import.meta.url))
let stage: InstallStage
beforeAll(() => {
  stage = openInstallStage()
})
afterAll(() => stage[Symbol.dispose]())

/** What the program prints where `bwrap` is there and may not make a sandbox. */
function run(...words: readonly string[]): Promise<string> {
  const failing = join(stage.folder, 'bwrap')
  writeFileSync(failing, '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n', { mode: 0o755 })
  const around = ['--bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--ro-bind', failing, '/usr/bin/bwrap']
  return new Promise((resolve) => {
    const options = { env: { ...stage.environment }, cwd: stage.folder }
    execFile('/usr/bin/bwrap', [...around, process.execPath, program, ...words], options, (_error, out, said) => resolve(out + said))
  })
}

const sentence =
  /Plugins of others run without a sandbox \(user namespaces are forbidden here\): any of them can call every address, the doors of the agent included, can end the agent and other programs of yours, and nothing but Node keeps it from your files\. To get one, allow them/

describe('where no sandbox can be made', needs(missingProgram('/usr/bin/bwrap', 'bubblewrap')), () => {
  test('consent, info and doctor say what is not contained', async () => {
    const spec = stage.pack('dice', diceFiles())
    expect(await run('plugins', 'install', spec)).toMatch(sentence)
    await stage.install(spec)
    await stage.run(['enable', 'toolset-dice'])
    expect(await run('plugins', 'info', 'toolset-dice')).toMatch(sentence)
    expect(await run('doctor')).toMatch(sentence)
  })
})
