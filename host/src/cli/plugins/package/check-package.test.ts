import { symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { diceFiles, type InstallStage, openInstallStage } from '../../../../../test/support/install-stage.ts'
import { checkPackage, readPackageFile } from './check-package.ts'

let stage: InstallStage
let folder: string
beforeEach(() => {
  stage = openInstallStage()
  folder = join(stage.folder, 'unpacked')
  for (const [path, text] of Object.entries(diceFiles())) stage.write(join(folder, path), text)
})
afterEach(() => stage[Symbol.dispose]())

const check = () => checkPackage(folder, readPackageFile(folder, 'dice'))

test('an honest package passes, and what its manifest says comes back as it is written', async () => {
  expect(await check()).toMatchObject({
    file: { name: 'agent-plugin-dice' },
    manifest: { id: 'toolset-dice' },
    raw: { manifestVersion: 1 },
  })
})

test('a link that came with a dependency is refused, wherever it leads', async () => {
  stage.write(join(folder, 'node_modules', 'x', 'package.json'), '{"name":"x","version":"1.0.0"}')
  symlinkSync(dirname(stage.home), join(folder, 'node_modules', 'x', 'up'))
  await expect(check()).rejects.toMatchObject({ code: 'PLUGIN_REFUSED', params: { reason: 'link-inside' } })
})

test('an entry that is a folder is no entry', async () => {
  stage.write(join(folder, 'agent.plugin.json'), (diceFiles()['agent.plugin.json'] ?? '').replace('dist/toolset.dice.js', 'lib/x.js'))
  stage.write(join(folder, 'lib', 'x.js', 'index.js'), '')
  await expect(check()).rejects.toMatchObject({ params: { reason: 'entry-missing', problem: expect.stringContaining('lib/x.js') } })
})
