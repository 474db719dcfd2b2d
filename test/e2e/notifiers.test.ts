// @module-tag process
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createCall } from '../../host/src/kernel/calls/call.ts'
import type { ToolTurn } from '../../host/src/tools/tool-turn.ts'
import { buildPlugin } from '../../plugin-sdk/src/testing/index.ts'
import { root } from '../repo/source-files.ts'
import { buildChildProgram } from '../support/child-program.ts'
import { addPlatform, openReloadGateway, type ReloadGateway } from '../support/gateways/reload-gateway.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

const soon = { timeout: 20_000 }

/** Puts the board of cards into a home, as somebody who downloads it would. */
async function putBoard(home: TestHome): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'kanban-'))
  try {
    cpSync(join(root, 'plugin-sdk', 'examples', 'kanban'), folder, { recursive: true, filter: (path) => !path.endsWith('dist') })
    await buildPlugin({ dir: folder })
    cpSync(folder, join(home.home, 'plugins', 'local', 'kanban-sample'), { recursive: true })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function use({ agent }: ReloadGateway, session: string, name: string, args: object, workspace: string): Promise<unknown> {
  const turn = { turn: 't', session, workspace, tools: new Set([name]), approved: new Set() } as unknown as ToolTurn
  const prepared = await agent.toolbox.prepare({ id: '1', name, args: JSON.stringify(args) }, turn)
  return prepared.ready ? await prepared.run(createCall(new AbortController().signal)) : prepared
}

test('the board of cards works from a child: its tools raise events there, and its notifier hears them there', async () => {
  await using program = await buildChildProgram()
  using home = openTestHome()
  addPlatform(home, 'calm')
  await putBoard(home)
  const entries = { 'platform-calm': { enabled: true, isolation: 'inproc' }, 'kanban-sample': { enabled: true, isolation: 'process' } }
  home.write('config.yaml', JSON.stringify({ plugins: { entries }, platforms: { calm: { allow_from: ['ann'] } } }))
  await using opened = await openReloadGateway(home, { childProgram: program.file })
  await opened.service('calm').talk('hello')
  const [session] = await opened.agent.store.sessions.list({ limit: 1 })
  await use(opened, session?.id ?? '', 'kanban_create', { title: 'paint the fence' }, home.work)
  expect(await use(opened, 'ses_other', 'kanban_move', { card: '1', column: 'done' }, home.work)).toMatchObject({ outcome: { ok: true } })
  await expect.poll(() => opened.service('calm').said.slice(1), soon).toEqual(['Card 1 was moved to done: paint the fence'])
})
