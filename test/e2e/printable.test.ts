// @module-tag process
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startFakeOpenai } from '../support/fakes/fake-openai.ts'
import { addToolset } from '../support/gateways/reload-gateway.ts'
import { needs } from '../support/needs.ts'
import { runAgent } from '../support/run-agent.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'
import { missingTmux, openTerminal } from '../support/tmux.ts'

/** Clears the screen, writes to the clipboard, turns text around, hides it. */
const hostile = '\u001b[2J\u001b]52;c;cm0=\u0007\u202e\u009b2K\u200b\r'
const steers = /[^\n\t\x20-\x7e\u00a0-\u1fff\u2010-\u2027\u2030-\u205f\u2070-\ufefe]/

/** What a command prints where a stranger has had a say. */
async function printed(home: TestHome, words: readonly string[], environment = {}): Promise<string> {
  const { out, note } = await runAgent(home, words, { environment })
  return out + note
}

test('a plugin, a model and a setting that would steer the terminal are shown as text', async () => {
  using home = openTestHome()
  addToolset(home, 'dice', 'roll_dice')
  const manifest = join('plugins', 'local', 'toolset-dice', 'agent.plugin.json')
  home.write(
    manifest,
    readFileSync(join(home.home, manifest), 'utf8').replace('"name":', `"description":${JSON.stringify(`x${hostile}y`)},"name":`),
  )
  await using server = await startFakeOpenai({ key: 'sk-right', answers: [{ text: `An answer${hostile}with more.` }] })
  const environment = { CUSTOM_API_KEY: 'sk-right', CUSTOM_BASE_URL: server.url }
  const all = [
    await printed(home, ['plugins', 'info', 'toolset-dice']),
    await printed(home, ['plugins', 'list']),
    await printed(home, ['plugins', 'list', '--json']),
    await printed(home, ['chat', '-z', `hello${hostile}`, '--provider', 'custom', '-m', 'fake-model'], environment),
    await printed(home, ['sessions', 'list']),
    await printed(home, ['sessions', 'list', '--json']),
    await printed(home, ['config', 'set', `model.${hostile}`, 'x']),
    await printed(home, [`no${hostile}command`]),
    await printed(home, ['logs']),
  ]
  for (const text of all) expect(text).not.toMatch(steers)
  expect(all.join('\n')).toContain('\\x1b[2J')
  expect(all[3]).toContain('with more.')
})

const program = join(fileURLToPath(new URL('../..', import.meta.url)), 'host', 'bin', 'agent.mjs')

test('a command that would hide itself is asked about as it is', needs(missingTmux()), async () => {
  using home = openTestHome()
  const command = 'rm -rf .git # \u001b[2K\u001b[1G  ls -la\nAllow it? [o]nce'
  await using server = await startFakeOpenai({
    key: 'sk-right',
    answers: [{ calls: [{ name: 'terminal', args: JSON.stringify({ command }) }] }, { text: 'That is all.' }],
  })
  const environment = { ...home.environment, CUSTOM_API_KEY: 'sk-right', CUSTOM_BASE_URL: server.url, TERM: 'xterm', NO_COLOR: '1' }
  const words = ['chat', '--provider', 'custom', '-m', 'fake-model']
  await using terminal = openTerminal({ command: [process.execPath, program, ...words], environment, cwd: home.work })
  await terminal.shows(/›/)
  terminal.type('do it')
  terminal.press('Enter')
  const screen = await terminal.shows(/Allow it\? +o once/)
  expect(screen).toContain('│ rm -rf .git # \\x1b[2K\\x1b[1G  ls -la')
  expect(screen).toMatch(/│ Allow it\?/)
  terminal.type('d')
  terminal.press('Enter')
  await terminal.shows(/That is all/)
})
