import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { callBothSides, ownFile } from '../support/fakes/both-sides.ts'
import { startFakeOpenai } from '../support/fakes/fake-openai.ts'
import { startAgent } from '../support/run-agent.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'
import { type Client, clients } from './clients.ts'

const run = promisify(execFile)
const seen = 'the client saw 7391'
const missing = 'MISSING'
const limitMs = 180_000

/** What became of one conversation. */
interface Row {
  readonly client: string
  readonly version: string
  readonly protocol: Client['protocol']
  /** Whether the model heard what the client says about itself. */
  readonly prompt: string
  readonly own: string
  readonly agents: string
  readonly answer: string
}

interface Said {
  readonly code: number | null
  readonly text: string
}

/** Installs a client, lets it talk through the API of a separate gateway, and looks at what both sides did. */
async function tryClient(name: string, client: Client, { keep, show }: { readonly keep?: string; readonly show: boolean }): Promise<Row> {
  using home = openTestHome()
  const folder = keep ? join(keep, name) : mkdtempSync(join(tmpdir(), 'agent-client-'))
  try {
    const version = await install(folder, client.packages)
    await using model = await startFakeOpenai({ answers: callBothSides(client.wishes) })
    home.write('config.yaml', `model:\n  provider: custom\n  default: fake-model\n  base_url: ${model.url}\n`)
    const gateway = startAgent(home, ['gateway', 'run'], { timeoutMs: limitMs })
    try {
      const url = `${/listens at (\S+)/.exec(await gateway.heard(/listens at \S+\n/))?.[1]}/v1`
      const { text } = await talk(client, { home, folder, url })
      if (show) process.stdout.write(`${text}\n`)
      const heard = model.requests.map(({ body }) => JSON.stringify(body.messages)).join('\n')
      return {
        client: name,
        version,
        protocol: client.protocol,
        prompt: client.prompt.test(heard) ? 'heard' : missing,
        ...judge(client, text, home),
      }
    } finally {
      gateway.child.kill('SIGTERM')
      await gateway.ended
    }
  } finally {
    if (!keep) rmSync(folder, { recursive: true, force: true })
  }
}

async function install(folder: string, packages: readonly string[]): Promise<string> {
  const [main = ''] = packages
  const manifest = (): string => readFileSync(join(folder, 'node_modules', main, 'package.json'), 'utf8')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  await run('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: folder })
  return String((JSON.parse(manifest()) as { version: unknown }).version)
}

interface Place {
  readonly home: TestHome
  readonly folder: string
  readonly url: string
}

function talk(client: Client, { home, folder, url }: Place): Promise<Said> {
  for (const [name, text] of Object.entries({ ...client.files(url), 'work/seen.txt': seen })) {
    mkdirSync(dirname(join(home.folder, name)), { recursive: true })
    writeFileSync(join(home.folder, name), text)
  }
  const [program = '', ...words] = client.command(url, home.folder)
  // A script of ours finds what was installed only from there.
  const cwd = program === 'node' ? folder : home.work
  if (program === 'node') for (const name of words) writeFileSync(join(folder, name), readFileSync(join(home.work, name)))
  if (program === 'node') writeFileSync(join(folder, 'seen.txt'), seen)
  const command = program === 'node' ? process.execPath : join(folder, 'node_modules', '.bin', program)
  return new Promise((resolve) => {
    const child = spawn(command, words, { cwd, env: { ...home.environment, ...client.environment }, stdio: ['ignore', 'pipe', 'pipe'] })
    const killer = setTimeout(() => child.kill('SIGKILL'), limitMs / 2)
    let text = ''
    const gather = (piece: string): void => {
      text += piece
    }
    child.stdout.setEncoding('utf8').on('data', gather)
    child.stderr.setEncoding('utf8').on('data', gather)
    child.on('error', (error) => gather(error.message))
    child.on('close', (code) => {
      clearTimeout(killer)
      resolve({ code, text })
    })
  })
}

/** The model repeats the results of both sides in its answer, so that what a person is shown proves the whole way. */
function judge({ answers = 1 }: Client, text: string, home: TestHome): Pick<Row, 'own' | 'agents' | 'answer'> {
  const said = text.split('Both sides said').slice(1)
  const [answer = ''] = said.slice(-1)
  const isWritten = ((): boolean => {
    try {
      return home.read(`workspace/${ownFile}`) === 'by the agent'
    } catch {
      // The row says so.
      return false
    }
  })()
  return {
    own: said.every((each) => each.includes(seen)) && answer ? 'called' : missing,
    agents: isWritten && said.every((each) => each.includes(ownFile)) ? 'called' : missing,
    answer: said.length >= answers ? 'shown' : missing,
  }
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { show: { type: 'boolean', default: false }, keep: { type: 'string' } },
})
const names = positionals.length > 0 ? positionals : Object.keys(clients)
const rows: Row[] = []
for (const name of names) {
  const client = clients[name]
  if (!client) throw new Error(`There is no client "${name}". There are: ${Object.keys(clients).join(', ')}.`)
  rows.push(await tryClient(name, client, values))
}
process.stdout.write(
  '| client | version | protocol | its prompt | its own tool | a tool of the agent | answer |\n| --- | --- | --- | --- | --- | --- | --- |\n',
)
for (const { client, version, protocol, prompt, own, agents, answer } of rows) {
  process.stdout.write(`| ${client} | ${version} | ${protocol} | ${prompt} | ${own} | ${agents} | ${answer} |\n`)
}
if (rows.some((row) => Object.values(row).includes(missing))) process.exitCode = 1
