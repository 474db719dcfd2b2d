// @module-tag process
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type CheckpointStage, openStage } from './testing/stage.ts'

const { signal } = new AbortController()
const realGit = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()

/** Another process of the home whose git takes as long as it is let over one kind of work. */
function openSlow(stage: CheckpointStage, work: string) {
  const folder = join(stage.home, '..', 'slow')
  const [begun, go] = [join(folder, 'begun'), join(folder, 'go')]
  mkdirSync(folder)
  const [log, wait] = [join(folder, 'log'), `: > "${begun}"; while [ ! -e "${go}" ]; do sleep 0.02; done`]
  writeFileSync(
    join(folder, 'git'),
    `#!/bin/sh\necho " $* " >> "${log}"\ncase " $* " in *" ${work} "*) ${wait};; esac\nexec ${realGit} "$@"\n`,
  )
  chmodSync(join(folder, 'git'), 0o755)
  const checkpoints = stage.open({ searchPath: `${folder}:/usr/bin:/bin` })
  /** How often git was asked for one kind of work. */
  const count = (asked: string): number => readFileSync(log, 'utf8').split(` ${asked} `).length - 1
  return { checkpoints, count, hasBegun: () => existsSync(begun), goOn: () => writeFileSync(go, '') }
}

test.each(['repack', 'prune', 'rev-list'])(
  'no turn waits for pruning: while %s takes long one begins, changes a file and ends',
  async (work) => {
    await using stage = openStage()
    const file = join(stage.work, 'a.txt')
    writeFileSync(file, '0')
    for (let turn = 1; turn <= 3; turn++) await stage.turn(() => writeFileSync(file, `${turn}`))
    const slow = openSlow(stage, work)
    let isOver = false
    const pruned = slow.checkpoints.prune(signal).then(() => {
      isOver = true
    })
    try {
      await expect.poll(slow.hasBegun).toBe(true)
      await stage.turn(() => writeFileSync(file, '4'))
      expect([isOver, stage.said]).toEqual([false, []])
      const [newest] = await stage.numbers()
      slow.goOn()
      await pruned
      await stage.restore(newest ?? 0)
      expect(readFileSync(file, 'utf8')).toBe('3')
    } finally {
      slow.goOn()
      await pruned
    }
  },
)

test('while pruning takes long the turns of a folder wait for one more round together', async () => {
  await using stage = openStage()
  const file = join(stage.work, 'a.txt')
  const slow = openSlow(stage, 'count-objects')
  const turn = async (text: string): Promise<void> => {
    const one = slow.checkpoints.forTurn({ workspace: stage.work, session: 's', signal, say: (text) => expect(text).toBe('') })
    await one?.before()
    writeFileSync(file, text)
    await one?.after()
  }
  await turn('first')
  await expect.poll(slow.hasBegun).toBe(true)
  for (let count = 0; count < 5; count++) await turn(`${count}`)
  slow.goOn()
  await slow.checkpoints.close()
  expect(slow.count('count-objects')).toBe(2)
})
