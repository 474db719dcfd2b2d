// @module-tag process
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readText, root } from '../repo/source-files.ts'
import { addPostOffice, postOfficeOn } from '../support/gateways/post-office.ts'
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

const bounded = { timeout: 20_000, interval: 50 }

test('what the page about sending says is sent', async () => {
  const office = addPostOffice(home)
  home.write('config.yaml', postOfficeOn)
  home.write('.env', 'POST_TOKEN=right\nPOST_HOME_CHANNEL=me\n')
  writeFileSync(join(home.work, 'report.txt'), 'All is well.\n')
  writeFileSync(join(home.work, 'rose.png'), Buffer.from('89504e470d0a1a0a00', 'hex'))
  const blocks = blocksOf('host/docs/send-messages.md')
  const [, example = ''] = /^agent send (\S+) /.exec(blocks[0] ?? '') ?? []
  for (const block of blocks) type(block.replaceAll(example, 'post').replaceAll('df -h', 'echo 42 %'))
  expect(office.posted().map(({ conversation, text, media }) => [conversation, text, ...media.map(({ kind }) => kind)])).toEqual([
    ['me', 'The backup is done.'],
    ['ann', '42 %'],
    ['#garden', 'All is well.'],
    ['me', 'Our roses.', 'image'],
    ['me', 'The original.', 'document'],
  ])
}, 60_000)

test('the first hour leads from nothing to an answer that was lost and sent again', async () => {
  const office = addPostOffice(home)
  home.write('config.yaml', postOfficeOn)
  const [start, setup, chat, models, model, platform, restart, pair, resend, trouble] = blocksOf('host/docs/first-hour.md')
  expect([start, setup, platform]).toEqual(['npm start\n', 'npx agent setup\n', 'agent gateway setup\n'])
  try {
    type('agent gateway start')
    expect(type(String(chat))).toContain('Wrote')
    expect(type(String(models))).toContain('needs ANTHROPIC_API_KEY')
    type(String(model).replace('anthropic', 'offline'))
    type('POST_TOKEN=right agent gateway setup post --set POST_TOKEN')
    office.know([{ id: 'c1', kind: 'dm', text: 'hello' }])
    expect(type(String(restart))).toMatch(/post: (?:connected|starting)/)
    const said = (): string =>
      office
        .posted()
        .map(({ text }) => text)
        .join(' ')
    await expect.poll(said, bounded).toMatch(/pairing approve post [A-Z2-9]{8}/)
    const [, code = ''] = /approve post (\w{8})/.exec(said()) ?? []
    expect(type(String(pair).replace(/approve \w+ \w+/, `approve post ${code}`))).toContain('ann may write')
    office.know([{ id: 'c2', kind: 'dm', text: 'stream 2 tokens' }])
    type(String(restart))
    await expect.poll(said, bounded).toContain('offline-1 offline-2')
    type('agent send post:c2 "lose this" || true')
    const [, lost = ''] = /^ {2}(\d+) {2}post c2/m.exec(type('agent gateway status')) ?? []
    type(String(resend).replace('17', lost))
    expect(type(String(trouble))).toContain('gateway')
  } finally {
    type('agent gateway stop')
  }
}, 120_000)
