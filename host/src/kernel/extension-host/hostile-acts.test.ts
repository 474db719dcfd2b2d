// @module-tag process
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BuiltProgram, buildChildProgram } from '../../../../test/support/child-program.ts'
import { needs, sayMissing } from '../../../../test/support/needs.ts'
import { findBwrap } from '../sandbox/find-bwrap.ts'
import { openExtensionRig } from './testing/extension-rig.ts'
import { type HostileAims, hostileActs, hostileTool } from './testing/hostile-acts.ts'

let program: BuiltProgram
let person: string
const servers: Server[] = []
const other = spawn('/bin/sleep', ['300'], { stdio: 'ignore' })
beforeAll(async () => {
  program = await buildChildProgram()
  person = mkdtempSync(join(tmpdir(), 'person-'))
  mkdirSync(join(person, '.ssh'))
  writeFileSync(join(person, '.ssh', 'id_ed25519'), 'a key')
})
afterAll(async () => {
  for (const server of servers) server.close()
  other.kill()
  rmSync(person, { recursive: true })
  await program[Symbol.asyncDispose]()
})

async function listen(where: string | number): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => undefined).end())
  servers.push(server)
  await once(typeof where === 'number' ? server.listen(where, '127.0.0.1') : server.listen(where), 'listening')
  return (server.address() as AddressInfo).port
}

/** Without the limits of Node: what holds then is the sandbox alone. */
async function tryAll(sandbox: 'auto' | 'off', skipped: readonly string[] = []): Promise<readonly string[]> {
  const plugins = [
    {
      id: 'hostile',
      tool: hostileTool.replace(
        'for (const [act, run] of tries) {',
        `for (const [act, run] of tries) { if (${JSON.stringify(skipped)}.includes(act)) continue`,
      ),
    },
  ]
  await using rig = await openExtensionRig({ program: program.file, plugins, sandbox, flags: new Set() })
  const { home, write } = rig.folder
  const socket = join(home, 'gateway.sock')
  write(join(home, '.env'), 'SECRET=1')
  write(join(home, 'config.yaml'), '{}')
  write(join(home, 'plugins', 'data', 'other', 'note.txt'), 'x')
  await listen(socket)
  const aims: HostileAims = {
    ...{ person, home, socket, agentPid: process.pid, otherPid: other.pid ?? 0 },
    ...{ apiPort: await listen(0), abstract: `agent-test-${process.pid}` },
  }
  return JSON.parse(await rig.run('hostile', aims)) as readonly string[]
}

test(
  'a plugin that declares nothing does none of what it tries',
  needs(findBwrap() || process.env.CI ? undefined : sayMissing('bwrap', 'bubblewrap')),
  async () => {
    const succeeded = await tryAll('auto')
    process.stdout.write(
      `with the sandbox ${succeeded.length} of ${hostileActs.length} acts succeed${succeeded.map((act) => `\n  ${act}`).join('')}\n`,
    )
    expect(succeeded).toEqual([])
    expect(other.exitCode).toBe(null)
  },
)

// These would harm the machine on which the tests run.
const harmful = [
  'signal the agent',
  'end another program',
  'write to /usr',
  'write to the root',
  'write its own code',
  'become somebody else',
]
const harmfulWords = /^(?:mount|make a device|change the name|enter the namespaces)/

test('the same acts succeed where there is no sandbox, so that they are acts', async () => {
  const skipped = hostileActs.map(({ act }) => act).filter((act) => harmful.includes(act) || harmfulWords.test(act))
  const succeeded = await tryAll('off', skipped)
  process.stdout.write(`without it ${succeeded.length} of ${hostileActs.length - skipped.length} acts that harm no machine succeed\n`)
  expect(succeeded).toEqual(
    expect.arrayContaining([
      'read the key of ssh',
      'read the .env of the agent',
      'call the API',
      'call gateway.sock',
      'read the environment of the agent',
    ]),
  )
})
