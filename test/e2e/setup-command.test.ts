// @module-tag process
import { mkdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { proves } from '../spec/proves.ts'
import { startAgent } from '../support/run-agent.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome } from '../support/test-home.ts'

const program = join(fileURLToPath(new URL('../..', import.meta.url)), 'host', 'bin', 'agent.mjs')

proves('cli.setup', 'agent setup puts the program on the PATH without rights of others, and says what comes next', async () => {
  using home = openTestHome()
  const bin = join(home.folder, '.local', 'bin')
  const PATH = `${process.env.PATH}:/elsewhere`
  const without = await runHere(home, ['setup'], { environment: { PATH } })
  expect(without).toMatchObject({ code: 2, note: expect.stringContaining(`The question needs a terminal. Try: ${program} setup --yes`) })
  const first = await runHere(home, ['setup', '--yes'], { environment: { PATH } })
  expect(first).toMatchObject({ code: 0, note: '' })
  expect(readlinkSync(join(bin, 'agent'))).toBe(program)
  expect(first.out).toContain(`${bin} is not on your PATH.\nAdd this line to ~/.profile and log in again: export PATH="${bin}:$PATH"\n`)
  expect(first.out).toContain('the offline model answers')
  expect(first.out).toContain(`Next: ${program} setup model chooses a model by questions`)
  const second = await runHere(home, ['setup'], { environment: { PATH: `${bin}:${PATH}` } })
  expect(second.out).toContain(`agent is on your PATH: ${bin}/agent\n`)
  expect(second.out).toContain('Next: agent setup model chooses a model by questions')
})

test('agent setup leaves another program of that name alone, and mends a link to nowhere', async () => {
  using home = openTestHome()
  const bin = join(home.folder, '.local', 'bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, 'agent'), '')
  const environment = { PATH: process.env.PATH ?? '' }
  expect((await runHere(home, ['setup', '--yes'], { environment })).note).toContain('is another program, and stays.')
  rmSync(join(bin, 'agent'))
  symlinkSync('/nowhere/agent', join(bin, 'agent'))
  expect((await runHere(home, ['setup', '--yes'], { environment })).code).toBe(0)
  expect(readlinkSync(join(bin, 'agent'))).toBe(program)
})

test('npm start says how agent gets on the PATH, and only where it is not there', async () => {
  using home = openTestHome()
  for (const [PATH, words] of [
    [process.env.PATH ?? '', [`  ${program} chat`, `  ${program} setup`]],
    [home.environment.PATH ?? '', ['  agent chat  ', '  agent model  ']],
  ] as const) {
    const gateway = startAgent(home, ['gateway', 'run', '--from-start'], { environment: { PATH } })
    const said = await gateway.heard(/Ctrl-C stops it/)
    gateway.child.kill('SIGTERM')
    await gateway.ended
    for (const word of words) expect(said).toContain(word)
    expect(said.includes(' setup ')).toBe(words[1].includes('setup'))
  }
})

test('what people said is not changed as a hint is', async () => {
  using home = openTestHome()
  const { out } = await runHere(home, ['chat', '-z', 'run echo agent model'])
  expect(out).toContain('agent model')
  expect(out).not.toContain(program)
})
