// @module-tag process
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect } from 'vitest'
import { command as chat } from '../../../host/src/cli/commands/chat.ts'
import { root } from '../../repo/source-files.ts'
import { runCommand } from '../../support/test-cli.ts'
import { openTestHome, type TestHome } from '../../support/test-home.ts'
import { proves } from '../proves.ts'

/** An installation whose program is this text; its plugins are those of the repository. */
function install(home: TestHome, program: string): string {
  const place = join(home.folder, 'installed')
  mkdirSync(join(place, 'host', 'bin'), { recursive: true })
  writeFileSync(join(place, 'package.json'), '{"version":"1.0.0"}')
  writeFileSync(join(place, 'host', 'bin', 'agent.mjs'), program)
  symlinkSync(join(root, 'plugins'), join(place, 'plugins'))
  return place
}

const recorder = `
import { appendFileSync } from 'node:fs'
appendFileSync('starts', process.argv.slice(2).join(' ') + '\\n')
console.error('Asking the server …')
console.log('1 change on main:\\n  Second')
`

proves('slash.update', '/update runs agent update with the settings of the home, and /update check only looks', async () => {
  using home = openTestHome()
  const said = await runCommand(chat, ['--cli'], {
    ...{ installRoot: install(home, recorder), environment: home.environment, cwd: home.work, profile: 'default' },
    input: Readable.from(['/update check\n/update now\n/update\n']),
  })
  expect(said.out).toBe('1 change on main:\n  Second\n/update takes check, or nothing.\n1 change on main:\n  Second\n')
  expect(home.read('starts')).toBe('-p default update --check\n-p default update --yes\n')
})
