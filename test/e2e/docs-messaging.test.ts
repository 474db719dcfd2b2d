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
