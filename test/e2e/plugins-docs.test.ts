// @module-tag process
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readText, root } from '../repo/source-files.ts'
import { fetchVerdaccio, openRegistry } from '../support/fakes/verdaccio.ts'
import { diceFiles } from '../support/install-stage.ts'
import { needs } from '../support/needs.ts'
import { runAgent } from '../support/run-agent.ts'
import { openTestHome } from '../support/test-home.ts'

const missing = await fetchVerdaccio()
const page = readText('host/docs/install-plugins.md')
const [shown = ''] = [...page.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, text]) => text)
const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text)

test('what the page about installing plugins shows happens', { ...needs(missing), timeout: 60_000 }, async () => {
  await using registry = await openRegistry()
  using home = openTestHome()
  writeFileSync(join(home.folder, '.npmrc'), registry.npmrc)
  mkdirSync(join(home.folder, 'bin'))
  writeFileSync(
    join(home.folder, 'bin', 'agent'),
    `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'host', 'bin', 'agent.mjs')}' "$@"\n`,
    {
      mode: 0o755,
    },
  )
  const dice = (version: string): Promise<void> => registry.publish(diceFiles({ version }, { description: 'Rolls dice.' }))
  await dice('1.0.0')

  const { note } = await runAgent(home, ['plugins', 'install', 'agent-plugin-dice'])
  const text = note.slice(0, note.indexOf('agent: ')).replaceAll(/^.* …\n/gm, '')
  const [, ...lines] = shown.replace('http://127.0.0.1:4873', registry.url.replace(/\/$/, '')).split('\n')
  // What holds plugins differs between machines.
  const onAny = (all: readonly string[]): readonly string[] => all.map((line) => line.replace(/^Plugins of others .*/, 'Plugins of others'))
  expect(onAny(text.split('\n'))).toEqual(onAny(lines))

  const hash = /This is ([0-9a-f]{64})\.$/m.exec(text)?.[1] ?? ''
  const type = (block: string): string => {
    const env = { ...home.environment, PATH: `${join(home.folder, 'bin')}:${home.environment.PATH}`, HASH: hash }
    const { status, stdout, stderr } = spawnSync('sh', ['-e', '-c', block], { cwd: home.work, env, encoding: 'utf8', timeout: 50_000 })
    expect(status, stderr).toBe(0)
    return stdout
  }
  const [search = '', install = '', update = '', frozen = '', pack = '', remove = ''] = blocks
  expect(type(search)).toContain('agent-plugin-dice  1.0.0')
  expect(type(install)).toContain('toolset-dice is on')
  await dice('1.1.0')
  expect(type(update)).toBe('toolset-dice 1.1.0 is installed; it was 1.0.0.\ntoolset-dice 1.0.0 is installed; it was 1.1.0.\n')
  expect(type(frozen)).toContain('toolset-dice 1.0.0: every file is as it was installed')
  expect(type(pack)).toMatch(/team\.yaml is written\..*\nEverything that the list "team" names is here\.\n$/)
  expect(type(remove)).toContain('toolset-dice is removed.')
})
