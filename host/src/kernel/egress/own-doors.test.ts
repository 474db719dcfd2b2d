// @module-tag process
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isOwnDoor } from './own-doors.ts'

let folder: string
const running: ChildProcess[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'doors-'))
  mkdirSync(join(folder, 'bin'))
  const listening =
    "import { createServer } from 'node:net'\nconst server = createServer().listen(0, () => console.log(server.address().port))"
  for (const name of ['agent.mjs', 'other.mjs']) writeFileSync(join(folder, name), listening)
  symlinkSync('../agent.mjs', join(folder, 'bin', 'agent'))
})
afterEach(async () => {
  for (const child of running.splice(0)) {
    const ended = once(child, 'close')
    if (child.kill('SIGKILL')) await ended
  }
  rmSync(folder, { recursive: true })
})

/** Answers the port on which it listens. */
async function start(program: string, cwd: string): Promise<number> {
  const child = spawn(process.execPath, ['--no-warnings', program], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  running.push(child)
  return Number(String((await once(child.stdout, 'data'))[0]))
}

test('another gateway is known by its program, however that was named when it was started', async () => {
  const program = join(folder, 'agent.mjs')
  const ports = [await start(program, '/'), await start(join('bin', 'agent'), folder), await start(join(folder, 'other.mjs'), '/')]
  const outside = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? [])
  for (const address of ['127.0.0.1', '::1', '0.0.0.0', ...outside, '::1%lo'])
    expect(await Promise.all(ports.map((port) => isOwnDoor(address, port, { program })))).toEqual([true, true, false])
})
