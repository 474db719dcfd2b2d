// @module-tag process
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { root } from '../repo/source-files.ts'
import { gatewayRuns, runAgent, startAgent } from '../support/run-agent.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome } from '../support/test-home.ts'

test('a plugin is created, checked and developed: each change runs at once, and an error leaves the old one running', async () => {
  using home = openTestHome()
  expect(await runAgent(home, ['plugins', 'create', 'toolset', 'dice'])).toMatchObject({ code: 0, note: '' })
  const checked = await runAgent(home, ['plugins', 'check', 'toolset-dice'])
  expect(checked).toMatchObject({ code: 0, out: expect.stringContaining('rules hold') })
  const dev = startAgent(home, ['plugins', 'dev', 'toolset-dice'], { timeoutMs: 60_000 })
  try {
    await dev.heard(/gets a temporary one[\s\S]*agent (?:listens|runs).*\n/)
    await dev.heard(/all \d+ rules hold/)
    const file = join(home.work, 'toolset-dice', 'src', 'note.ts')
    const sound = readFileSync(file, 'utf8')
    writeFileSync(file, 'export const')
    await dev.heard(/note\.ts[\s\S]*The one before goes on/)
    writeFileSync(file, sound.replace('There are no notes.', 'Nothing is noted.'))
    await dev.heard(/Built toolset-dice: toolset\.dice\.js[\s\S]*agent (?:listens|runs).*\n/)
    expect(readFileSync(join(home.work, 'toolset-dice', 'dist', 'toolset.dice.js'), 'utf8')).toContain('Nothing is noted.')
  } finally {
    dev.child.kill('SIGINT')
    await dev.ended
  }
  rmSync(join(home.work, 'toolset-dice'), { recursive: true })
})

test('what cannot run of a plugin that is developed is named with what helps, and gets its settings', async () => {
  using home = openTestHome()
  await runHere(home, ['plugins', 'create', 'toolset', 'dice'])
  const file = join(home.work, 'toolset-dice', 'src', 'config.ts')
  writeFileSync(file, readFileSync(file, 'utf8').replace('.default(20)', ''))
  const key = 'plugins.entries.toolset-dice.config.most_notes'
  const develop = async (settings: readonly string[], told: RegExp): Promise<string> => {
    const dev = startAgent(home, ['plugins', 'dev', 'toolset-dice', ...settings], { timeoutMs: 60_000 })
    try {
      await dev.heard(told)
    } finally {
      dev.child.kill('SIGINT')
    }
    return (await dev.ended).out
  }
  await develop([], /dice: blocked \(config-invalid\): \S+most_notes is missing\. To change that: agent config set \S+most_notes VALUE/)
  expect(await develop(['--set', `${key}=5`], /Watching/)).not.toContain('blocked')
  expect(await runHere(home, ['plugins', 'dev', 'toolset-dice', '--set', 'nothing'])).toMatchObject({ code: 2 })
})

test('a plugin that was built for the first version of the contract is loaded and used', async () => {
  using home = openTestHome()
  const local = join(home.home, 'plugins', 'local')
  mkdirSync(local, { recursive: true })
  expect(spawnSync('tar', ['-xzf', join(root, 'plugin-sdk', 'golden', 'toolset-sample-api-1.tgz'), '-C', local]).status).toBe(0)
  renameSync(join(local, 'package'), join(local, 'toolset-sample'))
  expect(await runHere(home, ['plugins', 'enable', 'toolset-sample'])).toMatchObject({ code: 0 })
  expect((await runHere(home, ['chat', '-z', 'call sample_note {"text": "buy milk"}'])).out).toContain('buy milk')
})

test('hooks of a plugin in its own child refuse what they are there to refuse', async () => {
  using home = openTestHome()
  expect(await runHere(home, ['plugins', 'create', 'hooks', 'guard'])).toMatchObject({ code: 0 })
  expect(await runHere(home, ['plugins', 'install', `link:${join(home.work, 'hooks-guard')}`])).toMatchObject({ code: 0 })
  const say = async () => (await runHere(home, ['chat', '-z', 'call read_file {"path": "/etc/secret"}'])).out
  expect(await say()).not.toContain('off limits')
  await runHere(home, ['config', 'set', 'plugins.entries.hooks-guard.config', '{"folders": ["/etc/secret"]}'])
  expect(await say()).toContain('/etc/secret is off limits')
})

test('a gateway that runs takes over what is developed, at each change', async () => {
  using home = openTestHome()
  await runHere(home, ['plugins', 'create', 'toolset', 'dice'])
  const gateway = startAgent(home, ['gateway', 'run'], { timeoutMs: 90_000 })
  await gateway.heard(gatewayRuns)
  const dev = startAgent(home, ['plugins', 'dev', 'toolset-dice'], { timeoutMs: 80_000 })
  try {
    await dev.heard(/is linked into[\s\S]*uses the toolset dice from the next turn on[\s\S]*Watching/)
    const file = join(home.work, 'toolset-dice', 'src', 'note.ts')
    writeFileSync(file, readFileSync(file, 'utf8').replace('There are no notes.', 'Nothing is noted.'))
    await dev.heard(/uses the toolset dice as it is now from the next turn on/)
    dev.child.kill('SIGINT')
    await dev.heard(/is no longer linked into[\s\S]*has ended the toolset dice/)
  } finally {
    dev.child.kill('SIGINT')
    gateway.child.kill('SIGTERM')
    await Promise.all([dev.ended, gateway.ended])
  }
})

/** What a debugger sees of a process that says where it listens: the scripts that it has loaded until it ends, or until `isEnough`. */
async function inspect(said: string, isEnough: (url: string) => boolean = () => false): Promise<readonly string[]> {
  const [address = ''] = /ws:\S+/.exec(said) ?? []
  const socket = new WebSocket(address)
  await once(socket, 'open')
  const urls: string[] = []
  const closed = once(socket, 'close')
  socket.on('message', (data) => {
    const { method, params } = JSON.parse(String(data)) as { readonly method?: string; readonly params?: { readonly url?: string } }
    if (method !== 'Debugger.scriptParsed' || params?.url === undefined) return
    urls.push(params.url)
    if (isEnough(params.url)) socket.close()
  })
  for (const [id, method] of ['Debugger.enable', 'Runtime.runIfWaitingForDebugger'].entries()) socket.send(JSON.stringify({ id, method }))
  await closed
  return urls
}

test('a debugger looks into a check, which waits for it, and into the gateway of a plugin that is developed', async () => {
  using home = openTestHome()
  await runHere(home, ['plugins', 'create', 'toolset', 'dice'])
  const check = startAgent(home, ['plugins', 'check', 'toolset-dice', '--only', 'result', '--inspect', '0'], { timeoutMs: 60_000 })
  const urls = await inspect(await check.heard(/Debugger listening on ws:\S+/))
  expect(await check.ended).toMatchObject({ code: 0, out: expect.stringContaining('ok      result:') })
  expect(urls.filter((url) => url.includes('toolset.dice.js')).length).toBeGreaterThan(0)

  const dev = startAgent(home, ['plugins', 'dev', 'toolset-dice', '--inspect', '0'], { timeoutMs: 60_000 })
  try {
    const isHost = (url: string): boolean => url.includes('/host/')
    expect((await inspect(await dev.heard(/Debugger listening on ws:\S+/), isHost)).some(isHost)).toBe(true)
  } finally {
    dev.child.kill('SIGINT')
    await dev.ended
  }
  expect(await runHere(home, ['plugins', 'check', 'toolset-dice', '--inspect', 'x'])).toMatchObject({ code: 2 })
})

test('a check goes on with every change, and says what is wrong each time', async () => {
  using home = openTestHome()
  await runHere(home, ['plugins', 'create', 'toolset', 'dice'])
  const check = startAgent(home, ['plugins', 'check', 'toolset-dice', '--only', 'result', '--watch'], { timeoutMs: 60_000 })
  const file = join(home.work, 'toolset-dice', 'src', 'note.ts')
  try {
    await check.heard(/Watching/)
    writeFileSync(file, 'export const')
    await check.heard(/(?:Watching[\s\S]*){2}/)
  } finally {
    check.child.kill('SIGINT')
  }
  const { code, out } = await check.ended
  expect(code).toBe(0)
  expect(out.match(/^toolset-dice: .*$/gm)).toEqual(['toolset-dice: all 2 rules hold.', expect.stringContaining('do not hold')])
  expect(out).toContain('note.ts')
})
