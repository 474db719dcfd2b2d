// @module-tag process
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openAgent } from '../../host/src/agent/open-agent.ts'
import { createCall } from '../../host/src/kernel/calls/call.ts'
import type { ToolTurn } from '../../host/src/tools/tool-turn.ts'
import { root } from '../repo/source-files.ts'
import { missingProgram, needs } from '../support/needs.ts'
import { gatewayRuns, runAgent, startAgent } from '../support/run-agent.ts'
import { shownFolder } from '../support/shown-folder.ts'
import { importSourceEntry } from '../support/source-entry.ts'
import { openTestHome } from '../support/test-home.ts'

/** Runs commands with the settings of a home, one after the other. */
async function runWith(settings: string, commands: (work: string) => readonly string[], more: object = {}): Promise<readonly string[]> {
  using home = openTestHome(shownFolder())
  home.write('config.yaml', `approvals: { mode: "off" }\n${settings}`)
  home.write('.env', 'SOME_API_KEY=not-for-commands\n')
  mkdirSync(join(home.work, 'drawer'))
  writeFileSync(join(home.work, 'drawer', 'note'), 'private')
  const agent = await openAgent({
    ...{ installRoot: root, environment: { ...home.environment, AGENT_INFERENCE_PROVIDER: 'offline' }, profile: undefined },
    ...{ note: () => undefined, workspace: home.work, importEntry: importSourceEntry },
  })
  try {
    const signal = new AbortController().signal
    const turn = {
      ...{ turn: 'trn', session: 'ses', workspace: home.work, canAnswer: false, door: 'cli', approved: new Set() },
      ...{ tools: new Set(['terminal', 'process']), signal, progress: () => undefined },
    } as unknown as ToolTurn
    const texts: string[] = []
    for (const command of commands(home.work)) {
      const prepared = await agent.toolbox.prepare({ id: 'c', name: 'terminal', args: JSON.stringify({ command, ...more }) }, turn)
      const { outcome, error } = prepared.ready ? await prepared.run(createCall(signal)) : prepared.done
      texts.push(error ? `${error.code} ${outcome.text}` : outcome.text)
    }
    return texts
  } finally {
    await agent.close()
  }
}

test('a command runs under the settings of the home', needs(missingProgram('/usr/bin/bwrap', 'bubblewrap')), async () => {
  const commands = (work: string): readonly string[] => [
    `cat drawer/note; node -p "fs.readFileSync('${work}/../home/.e' + 'nv', 'utf8')"; kill -0 ${process.pid}; echo x > ${work}/../new`,
    'cd /tmp && echo kept > mine && export KEPT=1',
    'cat mine; echo $KEPT; pwd; exec 9<>/dev/tcp/127.0.0.1/9',
  ]
  const [first, , third] = await runWith('terminal: { hidden: [drawer], network: "off" }\n', commands)
  expect(first).not.toMatch(/private|not-for-commands/)
  expect(first).toMatch(/No such process/)
  expect(first).toMatch(/Read-only file system/)
  expect(first).toMatch(/\(The sandbox does not show drawer|\(The sandbox /)
  expect(third).toMatch(/^kept\n1\n\/tmp\n[\s\S]*\(The sandbox has no network/)
})

test('terminal.sandbox: off runs a command as it is', async () => {
  const [text] = await runWith('terminal: { sandbox: "off" }\n', (work) => [
    `cat drawer/note; kill -0 ${process.pid} && echo x > ${work}/../new && echo done`,
  ])
  expect(text).toBe('privatedone')
})

test('outside of the sandbox is a question, also where nothing else is asked about', async () => {
  const [text] = await runWith('', () => ['echo done'], { outside: true, reason: 'to see' })
  expect(text).toMatch(/^APPROVAL_/)
})

test('a gateway says at its start, and its status at any time, what holds commands and which settings have no effect', async () => {
  using home = openTestHome()
  home.write('config.yaml', 'terminal: { sandbox: "off" }\nstt: { provider: x }\n')
  const gateway = startAgent(home, ['gateway', 'run'])
  await gateway.heard(gatewayRuns)
  await gateway.heard(/^Commands run without a sandbox, because terminal\.sandbox is off\.$/m)
  await gateway.heard(/stt\.provider has no effect/)
  expect((await runAgent(home, ['gateway', 'status'])).out).toMatch(/^Commands run without a sandbox, because/m)
  gateway.child.kill('SIGTERM')
  await gateway.ended
  home.write('config.yaml', '')
  expect((await runAgent(home, ['gateway', 'status'])).out).toMatch(/^Commands run (?:in a sandbox \(|without a sandbox: )/m)
})

const runner = `
import { spawnSync } from 'node:child_process'
export default {
  open: async (context) => ({
    tools: {
      run_it: async ({ args, session, workspace }) => {
        const wish = { session, workspace, argv: ['/bin/sh', '-c', 'echo ran; echo x > made || true; ls /proc | grep -c "^[0-9]"'], outside: args.outside }
        const { file, args: words, environment, contained } = await context.sandbox.prepare(wish)
        const { stdout, stderr } = spawnSync(file, words, { env: environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe', 'pipe'] })
        return { ok: true, text: JSON.stringify({ file, contained, out: stdout + stderr }) }
      },
    },
  }),
}
`

/** What a toolset of others gets that starts a program. */
async function runForeign(settings: string, args: object): Promise<string> {
  using home = openTestHome(shownFolder())
  const folder = join(home.home, 'plugins', 'local', 'toolset-runner')
  mkdirSync(join(folder, 'dist'), { recursive: true })
  writeFileSync(join(folder, 'dist', 'toolset.js'), runner)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const parameters = { type: 'object', properties: { outside: { type: 'boolean' } } }
  const tools = [{ name: 'run_it', description: 'made up', parameters, effect: 'external' }]
  const manifest = {
    ...{
      manifestVersion: 1,
      id: 'toolset-runner',
      name: 'Runner',
      description: 'made up',
      version: '1.0.0',
      license: 'MIT',
      api: { toolset: 1 },
    },
    contributes: { toolsets: [{ id: 'runner', entry: 'dist/toolset.js', label: 'Runner', tools }] },
    permissions: {
      host: { value: ['sandbox'], reason: 'test' },
      run: { value: ['*'], reason: 'test' },
      fs: { value: { read: ['$workspace'], write: ['$workspace'] }, reason: 'test' },
    },
  }
  writeFileSync(join(folder, 'agent.plugin.json'), JSON.stringify(manifest))
  home.write('config.yaml', `${settings}\n`)
  const environment = { ...home.environment, AGENT_INFERENCE_PROVIDER: 'offline' }
  const agent = await openAgent({ installRoot: root, environment, profile: undefined, note: () => undefined, workspace: home.work })
  try {
    const signal = new AbortController().signal
    const turn = {
      ...{ turn: 'trn', session: 'ses', workspace: home.work, canAnswer: false, door: 'cli', approved: new Set() },
      ...{ tools: new Set(['run_it']), signal, progress: () => undefined },
    } as unknown as ToolTurn
    const prepared = await agent.toolbox.prepare({ id: 'c', name: 'run_it', args: JSON.stringify(args) }, turn)
    const { outcome, error } = prepared.ready ? await prepared.run(createCall(signal)) : prepared.done
    return error ? `${error.code} ${outcome.text}` : outcome.text
  } finally {
    await agent.close()
  }
}

test(
  'a toolset of others stays in its own sandbox, and without one gets that of the host',
  needs(missingProgram('/usr/bin/bwrap', 'bubblewrap')),
  async () => {
    const on = 'entries: { toolset-runner: { enabled: true } }'
    const inside = await runForeign(`plugins: { ${on} }`, {})
    expect(JSON.parse(inside)).toMatchObject({ file: '/bin/sh', contained: true, out: expect.stringMatching(/^ran\n\d\n$/) })
    expect(await runForeign(`plugins: { ${on} }`, { outside: true })).toMatch(/^UNSUPPORTED /)
    const given = await runForeign(`plugins: { sandbox: "off", ${on} }`, {})
    expect(JSON.parse(given)).toMatchObject({ file: '/usr/bin/bwrap', contained: true, out: expect.stringMatching(/^ran\n\d\n$/) })
  },
)
