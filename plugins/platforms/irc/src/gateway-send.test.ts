// @module-tag process
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readText, root } from '../../../../test/repo/source-files.ts'
import { needs } from '../../../../test/support/needs.ts'
import { runAgent } from '../../../../test/support/run-agent.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { openIrcPerson } from '../test/irc-person.ts'
import { ngircdMissing, openNgircd } from '../test/ngircd.ts'

let home: TestHome
beforeEach(() => {
  home = openTestHome()
  const bin = join(home.folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'agent'), `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'host', 'bin', 'agent.mjs')}' "$@"\n`, {
    mode: 0o755,
  })
})
afterEach(() => home[Symbol.dispose]())

const blocksOf = (page: string): readonly string[] => [...readText(page).matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text)

/** Runs a block of the documentation as a person would. */
function type(block: string): string {
  const environment = { ...home.environment, PATH: `${join(home.folder, 'bin')}:${home.environment.PATH}` }
  const { status, stdout, stderr } = spawnSync('sh', ['-e', '-c', block], {
    cwd: home.work,
    env: environment,
    encoding: 'utf8',
    timeout: 25_000,
  })
  expect(status, stderr).toBe(0)
  return stdout
}

test('the page about setting up leads to a platform that is connected', { ...needs(ngircdMissing), timeout: 60_000 }, async () => {
  await using server = await openNgircd({ password: 'right' })
  await using ann = await openIrcPerson(server.port, 'ann', [], 'right')
  home.write('.env', `IRC_PORT=${server.port}\nIRC_USE_TLS=false\nIRC_SERVER_PASSWORD=right\n`)
  const [questions = '', ...blocks] = blocksOf('host/docs/set-up-a-platform.md')
  expect(questions).toBe('agent gateway setup\n')
  const said = blocks.map((block) => type(block.replaceAll('irc.example.net', '127.0.0.1')))
  expect(said.join('\n')).toContain('Connected as our-agent.')
  expect(said.join('\n')).toContain('platforms.irc.group_allow_from')
  expect(home.read('.env')).toContain('IRC_ALLOWED_USERS=ann,bob\n')
  expect(await runAgent(home, ['send', 'irc:ann', 'Here I am.'])).toMatchObject({ code: 0 })
  expect(ann.text('our-agent', 'ann')).toBe('Here I am.')
})

test('somebody on a real IRC server reads what is sent without a gateway', { ...needs(ngircdMissing), timeout: 60_000 }, async () => {
  await using server = await openNgircd()
  await using ann = await openIrcPerson(server.port, 'ann')
  home.write('.env', `IRC_SERVER=127.0.0.1\nIRC_PORT=${server.port}\nIRC_USE_TLS=false\n`)
  expect(await runAgent(home, ['send', 'irc:ann', 'The backup is done.'])).toMatchObject({ code: 0, out: 'Sent to irc:ann.\n' })
  expect(ann.text('agent', 'ann')).toBe('The backup is done.')
  expect(await runAgent(home, ['send', 'irc:nobody', 'x'])).toMatchObject({
    code: 1,
    note: expect.stringContaining('IRC refused the message'),
  })
})
