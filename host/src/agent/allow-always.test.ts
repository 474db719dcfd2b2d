import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Toolset } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { createCall } from '#kernel/calls/call.ts'
import type { ToolTurn } from '#tools/tool-turn.ts'
import { openTestHome } from '../../../test/support/test-home.ts'
import { openAgent } from './open-agent.ts'

const installRoot = fileURLToPath(new URL('../../..', import.meta.url))

test('what a person allows for good stands in config.yaml, beside what stood there and what was allowed before', async () => {
  using home = openTestHome()
  const parameters = { type: 'object', properties: { command: { type: 'string' } } }
  const tool = { name: 'do_it', description: 'Does.', parameters, effect: 'external', guards: [{ argument: 'command', as: 'command' }] }
  const manifest = {
    ...{ manifestVersion: 1, id: 'toolset-do', name: 'Do', description: 'made up', version: '1.0.0', license: 'MIT', api: { toolset: 1 } },
    contributes: { toolsets: [{ id: 'do', entry: 'dist/toolset.js', label: 'Do', tools: [tool] }] },
  }
  const folder = join(home.home, 'plugins', 'local', 'toolset-do')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'agent.plugin.json'), JSON.stringify(manifest))
  const file = home.write('config.yaml', 'plugins: { entries: { toolset-do: { enabled: true } } }\ncommand_allowlist: [git-history]\n')
  const toolset: Toolset = { open: async () => ({ tools: { do_it: async () => ({ ok: true, text: 'done' }) } }) }
  const agent = await openAgent({
    ...{ installRoot, environment: { ...home.environment, AGENT_INFERENCE_PROVIDER: 'offline' }, profile: undefined },
    ...{ note: () => undefined, importEntry: async () => ({ default: toolset }) },
  })
  try {
    const signal = new AbortController().signal
    const asked: string[] = []
    const turn = {
      ...{
        turn: 'trn',
        session: 'ses',
        door: 'cli',
        workspace: home.work,
        canAnswer: true,
        approved: new Set(),
        tools: new Set(['do_it']),
      },
      ...{ signal, progress: () => undefined, ask: async () => '' },
      approve: async ({ preview }: { preview: string }) => {
        asked.push(preview)
        return 'always'
      },
    } as unknown as ToolTurn
    for (const command of ['rm -rf /srv/made-up', 'chmod -R 777 /srv/made-up']) {
      const prepared = await agent.toolbox.prepare({ id: command, name: 'do_it', args: JSON.stringify({ command }) }, turn)
      const { outcome } = prepared.ready ? await prepared.run(createCall(signal)) : prepared.done
      expect(outcome).toMatchObject({ text: 'done' })
    }
    expect(asked).toHaveLength(2)
    expect(readFileSync(file, 'utf8')).toMatch(/command_allowlist:\n +- git-history\n.*- recursive-delete\n.*- world-writable\n/s)
  } finally {
    await agent.close()
  }
})
