// @module-tag process
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect } from 'vitest'
import { proves } from '../../../../test/spec/proves.ts'
import { runAgent } from '../../../../test/support/run-agent.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'
import { testAgent } from '../test/contract.ts'

proves('purpose.providers.kinds', 'two bridges let the coding agents answer that are on the PATH, and a setting another one', async () => {
  using home = openTestHome()
  const folder = join(home.folder, 'bin')
  mkdirSync(folder)
  for (const name of ['copilot', 'claude-agent-acp']) {
    writeFileSync(join(folder, name), `#!/bin/sh\nexec ${testAgent.command} ${testAgent.args.join(' ')}\n`)
    chmodSync(join(folder, name), 0o700)
  }
  const environment = { PATH: [folder, home.environment.PATH].join(delimiter) }
  home.write('config.yaml', JSON.stringify({ plugins: { entries: { 'provider-acp': { config: { acp: testAgent } } } } }))
  for (const provider of ['copilot-acp', 'claude-code-acp', 'acp']) {
    const run = await runAgent(home, ['chat', '--provider', provider, '-m', 'large', '-z', 'hello'], { environment })
    expect({ provider, ...run }).toMatchObject({ code: 0, out: 'Hello from large.\n' })
  }
})
