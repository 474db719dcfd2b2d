// @module-tag process
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../host/src/kernel/clock.ts'
import { createRandom } from '../faults/random.ts'
import { fillTalk, readTalk } from '../support/chats/filled-talk.ts'
import { saidIn, startTalkModel, useTalkModel, writePiers } from '../support/chats/long-talk.ts'
import { type AgentProcess, startAgent } from '../support/run-agent.ts'
import { openTestHome } from '../support/test-home.ts'

test('a program that is killed at twenty points of a compression loses nothing, and the conversation goes on', async () => {
  using home = openTestHome()
  const random = createRandom(20_261_126)
  let begun = (): void => undefined
  await using model = await startTalkModel({ onNotes: () => begun() })
  useTalkModel(home, model)
  writePiers(home.work)
  const { id, messages, turns } = await fillTalk(home)
  const file = join(home.home, 'state.db')
  const kept = join(home.folder, 'kept.db')
  copyFileSync(file, kept)
  const before = await readTalk(kept, id)
  expect(before.history).toHaveLength(messages)
  const start = (): AgentProcess => startAgent(home, ['chat', '-z', saidIn(turns + 1), '--resume', id])
  let lost = 0
  for (let round = 0; round < 20; round++) {
    for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
    copyFileSync(kept, file)
    const asked = new Promise<void>((resolve) => {
      begun = resolve
    })
    const run = start()
    await Promise.race([asked, run.ended])
    await systemClock.sleep(random.between(0, 60))
    run.child.kill('SIGKILL')
    const { signal } = await run.ended
    const after = await readTalk(file, id)
    expect(after.history.slice(0, messages)).toEqual(before.history)
    expect(after.found).toBe(before.found)
    if (signal === 'SIGKILL' && after.compressions === before.compressions) lost++
  }
  // Some of the kills came before the notes were stored; then they are made again.
  expect(lost).toBeGreaterThan(0)
  const last = await start().ended
  expect(last).toMatchObject({ code: 0, out: 'The pier is as it was.\n' })
  const end = await readTalk(file, id)
  expect(end.compressions).toBeGreaterThan(before.compressions)
  expect(end.history.slice(0, messages)).toEqual(before.history)
}, 180_000)
