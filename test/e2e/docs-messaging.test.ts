import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readText, root } from '../repo/source-files.ts'
import { openIrcPerson } from '../support/irc-person.ts'
import { ngircdMissing, openNgircd } from '../support/ngircd.ts'
import { addPostOffice, postOfficeOn } from '../support/post-office.ts'
import { runAgent } from '../support/run-agent.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

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

test('what the page about sending says is sent', async () => {
  const office = addPostOffice(home)
  home.write('config.yaml', postOfficeOn)
  home.write('.env', 'POST_TOKEN=right\nPOST_HOME_CHANNEL=me\n')
  writeFileSync(join(home.work, 'report.txt'), 'All is well.\n')
  writeFileSync(join(home.work, 'rose.png'), Buffer.from('89504e470d0a1a0a00', 'hex'))
  for (const block of blocksOf('host/docs/send-messages.md')) type(block.replaceAll('telegram', 'post').replaceAll('df -h', 'echo 42 %'))
  expect(office.posted().map(({ conversation, text, media }) => [conversation, text, ...media.map(({ kind }) => kind)])).toEqual([
    ['me', 'The backup is done.'],
    ['ann', '42 %'],
    ['#garden', 'All is well.'],
    ['me', 'Our roses.', 'image'],
    ['me', 'The original.', 'document'],
  ])
}, 60_000)

test.skipIf(ngircdMissing)(
  ngircdMissing ?? 'the page about setting up leads to a platform that is connected',
  async () => {
    await using server = await openNgircd({ password: 'right' })
    await using ann = await openIrcPerson(server.port, 'ann', [], 'right')
    home.write('.env', `IRC_PORT=${server.port}\nIRC_USE_TLS=false\nIRC_SERVER_PASSWORD=right\n`)
    const [questions = '', ...blocks] = blocksOf('host/docs/set-up-a-platform.md')
    expect(questions).toBe('agent gateway setup\n')
    const said = blocks.map((block) => type(block.replaceAll('irc.example.net', '127.0.0.1')))
    expect(said.join('\n')).toContain('Connected as our-agent.')
    expect(home.read('.env')).toContain('IRC_ALLOWED_USERS=ann,bob\n')
    expect(await runAgent(home, ['send', 'irc:ann', 'Here I am.'])).toMatchObject({ code: 0 })
    expect(ann.text('our-agent', 'ann')).toBe('Here I am.')
  },
  60_000,
)
