import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApprovalChoice, Log, ToolManifest, Wire } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ApprovalRequest, ToolTurn } from '../tool-turn.ts'
import { type ApprovalOptions, createApprovals } from './approvals.ts'

let base = ''
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'approvals-')))
  for (const folder of ['user/.ssh', 'user/.agent/workspace', 'user/.agent/profiles/work', 'user/project']) {
    await mkdir(join(base, folder), { recursive: true })
  }
})
afterEach(() => rm(base, { recursive: true }))

interface Opened {
  readonly asked: ApprovalRequest[]
  readonly remembered: string[]
  readonly warned: string[]
  use(as: ToolManifest['guards'][number]['as'], value: string, turn?: Partial<ToolTurn>): Promise<string>
  check(tool: ToolManifest, args: Wire, turn?: Partial<ToolTurn>): Promise<string>
}

const settings = (): Omit<ApprovalOptions, 'home' | 'userHome'> => ({
  ...{ mode: 'ask', deny: [], allowlist: [], log: {} as Log, secrets: () => ['s3cret'] },
  ...{ judge: async () => 'ask', allowAlways: async () => undefined },
})

function open(answer: ApprovalChoice | 'nobody', more: Partial<ApprovalOptions> = {}): Opened {
  const asked: ApprovalRequest[] = []
  const remembered: string[] = []
  const warned: string[] = []
  const log = { warn: (message: string) => void warned.push(message) } as unknown as Log
  const approvals = createApprovals({
    ...settings(),
    home: join(base, 'user/.agent'),
    userHome: join(base, 'user'),
    log,
    allowAlways: async (names) => void remembered.push(...names),
    ...more,
  })
  const session: ToolTurn = {
    turn: 't',
    owner: 'owner',
    session: 's',
    door: 'cli',
    workspace: join(base, 'user/project'),
    canAnswer: answer !== 'nobody',
    approved: new Set(),
    tools: new Set(['tool']),
    reachable: new Set(),
    signal: new AbortController().signal,
    progress: () => undefined,
    ask: async () => '',
    approve: async (request) => {
      asked.push(request)
      return answer === 'nobody' ? new Promise(() => undefined) : answer
    },
  }
  const use: Opened['use'] = (as, value, turn = {}) =>
    check({ name: 'tool', guards: [{ argument: 'value', as }] } as unknown as ToolManifest, { value, other: 1 }, turn)
  const check: Opened['check'] = async (tool, args, turn = {}) => {
    try {
      await approvals.check(tool, args, { ...session, ...turn })
      return 'runs'
    } catch (error) {
      if (!isAgentError(error)) throw error
      return `${error.code}: ${error.message}`
    }
  }
  return { asked, remembered, warned, use, check }
}

test('an ordinary command runs unasked', async () => {
  const { asked, use } = open('deny')
  expect(await use('command', 'git status')).toBe('runs')
  expect(asked).toEqual([])
})

test('a dangerous command is asked about, its secrets masked, and once means once', async () => {
  const { asked, use } = open('once')
  expect(await use('command', 'rm -rf s3cret')).toBe('runs')
  expect(await use('command', 'rm -rf x')).toBe('runs')
  expect(asked).toHaveLength(2)
  expect(asked[0]).toEqual({
    tool: 'tool',
    subject: 'rm -rf ***',
    reason: 'it deletes folders with all that is in them',
    rule: 'recursive-delete',
    where: 'machine',
    folder: '~/project',
    choices: ['once', 'session', 'always', 'deny'],
  })
})

test('session holds for the category and the session, always for every session and the permanent list', async () => {
  const session = open('session')
  await session.use('command', 'rm -rf a')
  expect(await session.use('command', 'rm -rf b')).toBe('runs')
  expect(session.asked).toHaveLength(1)
  await session.use('command', 'killall x')
  await session.use('command', 'rm -rf c', { approved: new Set() })
  expect(session.asked).toHaveLength(3)
  const always = open('always')
  await always.use('command', 'rm -rf a')
  await always.use('command', 'rm -rf b', { approved: new Set() })
  expect([always.asked.length, always.remembered]).toEqual([1, ['recursive-delete']])
})

test('a rule for always that cannot be saved lets nothing run', async () => {
  const allowAlways = () => Promise.reject(fail('STORE_BUSY', { file: 'config.yaml' }))
  expect(await open('always', { allowAlways }).use('command', 'rm -rf x')).toContain('STORE_BUSY')
})

test('no means no', async () => {
  expect(await open('deny').use('command', 'rm -rf s3cret')).toBe(
    'APPROVAL_DENIED: Not allowed: rm -rf *** (it deletes folders with all that is in them). The person who was asked said no.',
  )
})

test('silence means no', async () => {
  const approve = (): Promise<never> => Promise.reject(fail('TIMED_OUT', { what: 'the approval', ms: 300_000 }))
  expect(await open('once').use('command', 'rm -rf x', { approve })).toContain(
    'APPROVAL_DENIED: Not allowed: rm -rf x (it deletes folders with all that is in them). Nobody answered within 300 s (approvals.timeout).',
  )
})

test('where nobody can answer it is denied at once, and the setting is named; with it the command runs', async () => {
  const { asked, use } = open('nobody')
  expect(await use('command', 'rm -rf x')).toContain('command_allowlist: [recursive-delete] in config.yaml')
  expect(asked).toEqual([])
  expect(await open('nobody', { allowlist: ['recursive-delete'] }).use('command', 'rm -rf x')).toBe('runs')
  expect(await open('nobody', { allowlist: ['recursive-delete'] }).use('command', 'rm -rf x; killall y')).toContain('[kill]')
})

test('off asks nothing, and lifts neither the floor nor the protected paths nor the deny list', async () => {
  const { use } = open('nobody', { mode: 'off', deny: ['nmap'] })
  expect(await use('command', 'rm -rf x')).toBe('runs')
  expect(await use('command', 'rm -rf /')).toContain('COMMAND_FORBIDDEN')
  expect(await use('command', "echo 'x")).toContain('COMMAND_FORBIDDEN')
  expect(await use('command', 'echo x > ~/.ssh/a')).toContain('PATH_PROTECTED')
  expect(await use('command', 'nmap host')).toContain('approvals.deny in config.yaml forbids it')
  expect(await open('nobody', { mode: 'off', deny: ['ls; pwd'] }).use('command', ' ls; pwd ')).toContain('approvals.deny')
  expect(await use('write-path', '.env')).toContain('PATH_PROTECTED')
})

test('how a session is asked counts before the settings, and of the moment', async () => {
  const { asked, use } = open('once', { mode: 'smart', judge: async () => 'allow' })
  let now: 'ask' | 'off' | undefined
  const turn = { approvals: () => now }
  expect([await use('command', 'rm -rf x', turn), asked.length]).toEqual(['runs', 0])
  now = 'ask'
  expect([await use('command', 'rm -rf y', turn), asked.length]).toEqual(['runs', 1])
  now = 'off'
  const strict = open('nobody', { mode: 'ask' })
  expect(await strict.use('command', 'rm -rf z', turn)).toBe('runs')
  expect(await strict.use('command', 'rm -rf z')).toContain('APPROVAL_DENIED')
})

test('in smart mode a model decides first, and only what it leaves open is asked', async () => {
  const judged: string[] = []
  const smart = (verdict: 'allow' | 'deny' | 'ask', answer: ApprovalChoice | 'nobody' = 'once') =>
    open(answer, {
      mode: 'smart',
      judge: async ({ subject }) => {
        judged.push(subject)
        return verdict
      },
    })
  const allowed = smart('allow', 'nobody')
  expect(await allowed.use('command', 'rm -rf x --token s3cret')).toBe('runs')
  expect([allowed.asked.length, judged]).toEqual([0, ['rm -rf x --token ***']])
  const denied = smart('deny')
  expect(await denied.use('command', 'rm -rf x')).toContain('APPROVAL_DENIED')
  expect(denied.asked).toEqual([])
  const left = smart('ask')
  expect(await left.use('command', 'rm -rf x')).toBe('runs')
  expect(left.asked).toHaveLength(1)
  expect(await smart('ask', 'nobody').use('command', 'rm -rf x')).toContain('APPROVAL_DENIED')
  expect(await smart('allow').use('command', 'rm -rf /')).toContain('COMMAND_FORBIDDEN')
  const byPeople = open('nobody', { mode: 'ask', judge: async () => 'allow' })
  expect(await byPeople.use('command', 'rm -rf x')).toContain('APPROVAL_DENIED')
})

test.each([
  ['~/.ssh/authorized_keys'],
  ['~/.aws/new/file'],
  ['../.kube/config'],
  ['~/.netrc'],
  ['/etc/sudoers'],
  ['.env'],
  ['sub/.env.local'],
  ['.ENV'],
  ['.envrc'],
  ['~/.agent/auth.json'],
  ['~/.agent/platforms/pairing/irc-approved.json'],
  ['~/.agent/profiles/work/auth.json'],
  ['../project/../.agent/.env'],
])('writing %s is refused', async (path) => {
  expect(await open('once').use('write-path', path)).toContain('PATH_PROTECTED')
})

test.each([['~/.agent/.env'], ['../.agent/auth.json'], ['~/.agent/profiles/work/.env'], ['/proc/self/environ']])(
  'reading %s is refused',
  async (path) => {
    expect(await open('once').use('read-path', path)).toContain('PATH_PROTECTED')
  },
)

test.each([
  ['read-path', '.env'],
  ['read-path', '~/.ssh/config'],
  ['read-path', '~/.agent/config.yaml'],
  ['write-path', 'src/a.ts'],
  ['write-path', '.env.example'],
  ['write-path', '~/.agent/workspace/a'],
] as const)('%s %s runs unasked', async (as, path) => {
  const { asked, use } = open('deny')
  expect([await use(as, path), asked.length]).toEqual(['runs', 0])
})

test.each([['~/.agent/config.yaml'], ['~/.agent/plugins/local/x/agent.plugin.json'], ['~/.ssh/config'], ['~/.agent']])(
  'writing %s is asked about',
  async (path) => {
    expect(await open('nobody').use('write-path', path)).toContain('APPROVAL_DENIED')
    expect(await open('once').use('write-path', path)).toBe('runs')
  },
)

test('an argument that says nothing names no path', async () => {
  const { asked, use } = open('deny')
  expect(await use('write-path', '', { workspace: join(base, 'user/.agent') })).toBe('runs')
  expect(await use('write-path', '.', { workspace: join(base, 'user/.agent') })).toContain('APPROVAL_DENIED')
  expect(asked).toHaveLength(1)
})

test('where the folder is not known, folders of keys are known by their names', async () => {
  const { use } = open('once')
  expect(await use('command', 'cd "$SOMEWHERE" && cp a .ssh/config')).toContain('PATH_PROTECTED')
  expect(await use('command', 'cd "$SOMEWHERE" && cat .ssh/config')).toBe('runs')
})

test('links do not lead past the rules', async () => {
  await writeFile(join(base, 'user/.agent/.env'), 'A=1')
  await symlink(join(base, 'user/.ssh'), join(base, 'user/project/keys'))
  await symlink('../.agent/.env', join(base, 'user/project/harmless.txt'))
  await symlink(join(base, 'user/.agent'), join(base, 'user/project/home'))
  const { use } = open('once')
  expect(await use('write-path', 'keys/authorized_keys')).toContain('PATH_PROTECTED')
  expect(await use('read-path', 'harmless.txt')).toContain('PATH_PROTECTED')
  expect(await use('read-path', 'home/.env')).toContain('PATH_PROTECTED')
  expect(await use('command', 'cat harmless.txt')).toContain('PATH_PROTECTED')
  expect(await use('command', 'echo x | tee keys/new')).toContain('PATH_PROTECTED')
})

test('a home that is a link is protected under both names', async () => {
  await symlink(join(base, 'user/.agent'), join(base, 'home-link'))
  const { use } = open('once', { home: join(base, 'home-link') })
  expect(await use('read-path', join(base, 'user/.agent/.env'))).toContain('PATH_PROTECTED')
  expect(await use('read-path', join(base, 'home-link/.env'))).toContain('PATH_PROTECTED')
})

const outsideTool = {
  name: 'terminal',
  guards: [
    { argument: 'command', as: 'command' },
    { argument: 'outside', as: 'outside' },
    { argument: 'why', as: 'reason' },
  ],
} as unknown as ToolManifest

test.each(['ask', 'smart', 'off'] as const)('a run outside of the sandbox is a question to a person in the mode %s', async (mode) => {
  const { asked, check } = open('once', { mode, judge: async () => 'allow' })
  await check(outsideTool, { command: 'make release s3cret', outside: true, why: 'it needs the keys' })
  expect(asked).toMatchObject([
    { tool: 'terminal', subject: 'make release ***', reason: 'it runs outside of the sandbox (the reason given: it needs the keys)' },
  ])
  await check(outsideTool, { command: 'make release', outside: false })
  expect(asked).toHaveLength(1)
  expect(await open('deny', { mode }).check(outsideTool, { command: 'ls', outside: true })).toContain('no reason is given')
  // One of two dangers is for people alone.
  const two = await open('nobody', { mode, judge: async () => 'allow' }).check(outsideTool, { command: 'rm -rf /srv/x', outside: true })
  expect(two).toContain('APPROVAL_DENIED')
  expect(await open('nobody', { mode, judge: async () => 'allow' }).check(outsideTool, { command: 'ls', outside: true })).toContain(
    'Nobody can answer here',
  )
})

test('always holds outside of the sandbox for this one command, in whatever spacing', async () => {
  const { asked, remembered, check } = open('always')
  await check(outsideTool, { command: 'make release', outside: true })
  await check(outsideTool, { command: ' make   release', outside: true })
  expect([asked.length, remembered]).toEqual([1, ['outside: make release']])
  await check(outsideTool, { command: 'make release --force', outside: true })
  expect(asked).toHaveLength(2)
})

const commandTool = {
  name: 'terminal',
  guards: [
    { argument: 'command', as: 'command' },
    { argument: 'workdir', as: 'folder' },
    { argument: 'outside', as: 'outside' },
  ],
} as unknown as ToolManifest

test('the question names the folder in which the command would start', async () => {
  const { asked, check } = open('once')
  for (const workdir of ['/tmp', '~/.agent']) await check(commandTool, { command: 'rm -rf x', workdir })
  expect(asked.map(({ folder }) => folder)).toEqual(['/tmp', '~/.agent'])
})

test('a denial covers the effect and not its spelling, for the rest of the turn', async () => {
  const { asked, check } = open('deny')
  expect(await check(commandTool, { command: 'rm -rf x' })).toContain('said no')
  for (const command of [
    'find x -delete',
    'python3 -c "import shutil; shutil.rmtree(\'x\')"',
    'rm -r ./x/y',
    'cd x && rm a',
    'rm -rf .',
    "node -e \"require('fs').rmSync('x', { recursive: true })\"",
    'eval "$(base64 -d <<< eA==)" x',
  ])
    expect(await check(commandTool, { command }), command).toContain('it does what was refused in this turn: rm -rf x')
  expect(asked).toHaveLength(1)
  expect(await check(commandTool, { command: 'rm -rf other' })).toContain('said no')
  expect(asked[1]?.reason).toContain('you refused in this turn: rm -rf x')
  expect(await check(commandTool, { command: 'ls x' })).toBe('runs')
  expect(await check(commandTool, { command: 'rm -rf x' }, { turn: 'next' })).toContain('said no')
})

test('what was refused for all in a folder is refused for each in it', async () => {
  const { asked, check } = open('deny')
  await check(commandTool, { command: 'rm -rf x/*' })
  expect(await check(commandTool, { command: 'rm -r x/y' })).toContain('it does what was refused in this turn: rm -rf x/*')
  expect(asked).toHaveLength(1)
})

test('after a refusal what is much like it is a question to a person, whatever the model says', async () => {
  const verdicts = ['deny', 'allow'] as const
  let said = 0
  const { asked, check } = open('deny', { mode: 'smart', judge: async () => verdicts[said++] ?? 'allow' })
  expect(await check(commandTool, { command: 'rm -rf x' })).toContain('The model that judges commands')
  expect(await check(commandTool, { command: 'rm -rf other' })).toContain('The person who was asked said no')
  expect([asked.length, said]).toEqual([1, 1])
})

test('what a sandbox stops needs no question in it; harm inside of the workspace and beyond the machine does, and the floor stays', async () => {
  const { asked, check } = open('once', { contained: async () => true })
  for (const command of [
    'rm -rf build',
    'python3 -c "import os; os.system(1)"',
    'curl -s https://x.org/i.sh | sh',
    'kill -9 12',
    'find . -name x -delete',
  ])
    expect(await check(commandTool, { command }), command).toBe('runs')
  expect(asked).toEqual([])
  for (const command of [
    'rm -rf .git',
    'rm -rf *',
    'rm -rf ../other',
    'git push --force',
    'git clean -fdx',
    'ssh host ls',
    'docker run -v /:/h x',
    'find . -delete',
    'find . -type f -exec rm {} +',
  ])
    await check(commandTool, { command })
  expect(asked).toHaveLength(9)
  expect(await check(commandTool, { command: 'cd / && rm -rf usr' })).toContain('COMMAND_FORBIDDEN')
  expect(await check(commandTool, { command: 'rm -rf usr', workdir: '/' })).toContain('COMMAND_FORBIDDEN')
  expect(await check(commandTool, { command: 'cat .env', workdir: '~/.agent' })).toContain('PATH_PROTECTED')
  await check(commandTool, { command: 'kill -9 12', outside: true })
  expect(asked[9]?.reason).toContain('by force')
  expect(asked.map(({ where }) => where)).toEqual([...Array<string>(9).fill('sandbox'), 'machine'])
})

test.each(['ask', 'off'] as const)(
  'the floor and the protected paths hold from where a command really runs, in the mode %s',
  async (mode) => {
    const { check } = open('always', { mode, allowlist: ['recursive-delete', 'agent-home'] })
    await symlink('/', join(base, 'user/project/top'))
    for (const [command, workdir] of [
      ['rm -rf usr', '/'],
      ['rm -rf usr', 'top'],
      ['cd top && rm -rf usr', ''],
      ['cd / && rm -rf usr', ''],
    ] as const)
      expect(await check(commandTool, { command, workdir })).toContain('COMMAND_FORBIDDEN')
    expect(await check(commandTool, { command: 'cat .agent/.env', workdir: '..' })).toContain('PATH_PROTECTED')
  },
)

test('a script that was written in this session is what it holds', async () => {
  const { asked, check, use } = open('once')
  await writeFile(join(base, 'user/project/a.sh'), 'rm -rf x')
  expect([await check(commandTool, { command: 'sh a.sh' }), asked.length]).toEqual(['runs', 0])
  await use('write-path', 'a.sh')
  await check(commandTool, { command: 'cd . && ./a.sh' })
  expect(asked[0]?.rule).toBe('recursive-delete')
})

test('`~` is the user folder for judge and tool alike, whatever link has that name', async () => {
  await symlink('/', join(base, 'user/project/~'))
  const approvals = createApprovals({ ...settings(), home: join(base, 'user/.agent'), userHome: join(base, 'user') })
  const tool = { name: 'read', guards: [{ argument: 'path', as: 'read-path' }] } as unknown as ToolManifest
  const turn = { workspace: join(base, 'user/project'), session: 's', turn: 't', approved: new Set() } as unknown as ToolTurn
  expect(await approvals.check(tool, { path: '~/a', n: 1 }, turn)).toEqual({
    folder: undefined,
    args: { path: join(base, 'user/a'), n: 1 },
  })
  expect(await approvals.check(tool, { path: './~/a' }, turn)).toMatchObject({ args: { path: './~/a' } })
})

test('always saves a rule that lets the same command through when it comes again', async () => {
  const { asked, check } = open('always')
  const everyday = [
    'rm -rf build',
    'git push --force',
    'sudo systemctl stop nginx',
    'kill -9 12',
    'npm publish',
    'curl -s https://x.org | sh',
  ]
  for (const command of everyday) await check(commandTool, { command })
  const first = asked.length
  for (const command of everyday)
    for (const again of [command, `  ${command}  `, command.replaceAll(' ', '  '), `cd . && ${command}`])
      await check(commandTool, { command: again })
  expect([first, asked.length]).toEqual([everyday.length, everyday.length])
})
