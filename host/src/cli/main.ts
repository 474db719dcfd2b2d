import { fail } from '@agent/plugin-sdk/errors'
import { type CommandName, missingCommands } from '#commands/command-names.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import { showJson, showLines } from '#observe/printable.ts'
import { commands } from './command-table.ts'
import type { Cli } from './console/cli.ts'
import { formHints } from './console/own-command.ts'
import { reportError } from './report-error.ts'
import { takeLeadingProfile, takeProfile } from './take-profile.ts'

export interface MainOptions {
  /** Folder that holds `plugins/` and `host/`. */
  readonly installRoot: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Runs one command line and resolves to its exit code. */
export async function main(argv: readonly string[], options: MainOptions): Promise<number> {
  let code = 0
  const stop = new AbortController()
  const onSignal = (): void => stop.abort(fail('INTERRUPTED'))
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal)
  for (const stream of [process.stdout, process.stderr]) stream.off('error', ignoreLostReader).on('error', ignoreLostReader)
  process.stdout.on('error', onSignal)
  try {
    await runWords(
      { ...openStreams(options.environment), ...options, profile: undefined, signal: stop.signal, exit: (value) => (code = value) },
      argv,
    )
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
    process.stdout.off('error', onSignal)
  }
  return code
}

/** Runs one command line and tells how it failed. */
export async function runWords(outer: Cli, argv: readonly string[]): Promise<void> {
  let hasJson = false
  const cli: Cli = {
    ...outer,
    json: (value) => {
      hasJson = true
      outer.json(value)
    },
  }
  try {
    await run(cli, [...argv])
  } catch (error) {
    const { code: name, message } = await reportError(cli, error)
    // One document: what a command has said before it failed is not followed by another.
    if (takesJson(argv) && !hasJson) cli.json({ error: { code: name, message } })
  }
}

/** `agent logs | head`: the reader has had enough. It may be told after the command has ended, so nobody stops listening. */
function ignoreLostReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

/** Who reads JSON gets it where a command fails, too. */
function takesJson(words: readonly string[]): boolean {
  const end = words.indexOf('--')
  return words.slice(0, end < 0 ? words.length : end).includes('--json')
}

async function run(outer: Cli, words: string[]): Promise<void> {
  const cli = { ...outer, profile: outer.profile ?? takeLeadingProfile(words) }
  const first = words[0]
  if (first === undefined || (first.startsWith('-') && !['-h', '--help', '-V', '--version'].includes(first))) words.unshift('chat')
  const name = words.shift() ?? 'help'
  if (name === '-V' || name === '--version') return cli.out(`agent ${(await import('#config/version.ts')).readVersion(cli.installRoot)}`)
  const isHelp = name === '-h' || name === '--help' || name === 'help'
  if (isHelp && words[0] !== undefined) return run(cli, [...words, '--help'])
  if (isHelp) return (await import('./help.ts')).printHelp(cli)
  if (!Object.hasOwn(commands, name)) return runAsProfile(cli, name, words)
  const { command } = await commands[name as CommandName].load()
  const { runCommander } = await import('./run-commander.ts')
  const profile = cli.profile ?? takeProfile(words, () => command(cli))
  await runCommander(quoting.includes(name) ? { ...cli, profile } : withHints({ ...cli, profile }), command, words)
}

/** What these print was said and written by people. */
const quoting: readonly string[] = ['chat', 'sessions', 'logs', 'skills']

/** Hints name a command as it is typed where the person is. */
function withHints(cli: Cli): Cli {
  return { ...cli, out: (text) => cli.out(formHints(text, cli)), note: (text) => cli.note(formHints(text, cli)) }
}

/** `agent work chat` is `agent -p work chat`. */
async function runAsProfile(cli: Cli, name: string, words: string[]): Promise<void> {
  const { profileExists } = await import('#config/home/profiles.ts')
  if (cli.profile === undefined && profileExists(cli.environment, name)) return run({ ...cli, profile: name }, words)
  if (missingCommands.includes(name)) throw fail('NOT_BUILT', { feature: `agent ${name}` })
  const nearest = nearestName(name, Object.keys(commands))
  throw fail('USAGE', { problem: `There is no command or profile "${name}".`, try: nearest ? `agent ${nearest}` : 'agent --help' })
}

function openStreams(environment: MainOptions['environment']): Omit<Cli, 'installRoot' | 'environment' | 'profile' | 'signal' | 'exit'> {
  const { stdin, stdout, stderr } = process
  // The one place where text leaves for a terminal: no text steers it.
  const write = (text: string): void => void stdout.write(showLines(text))
  return {
    cwd: process.cwd(),
    input: stdin,
    terminal: stdin.isTTY === true && stdout.isTTY === true,
    colour: stdout.isTTY === true && !environment.NO_COLOR,
    columns: stdout.columns ?? 80,
    write,
    out: (text) => write(`${text}\n`),
    steer: (sequence) => void stdout.write(sequence),
    note: (text) => void stderr.write(`${showLines(text)}\n`),
    json: (value) => void stdout.write(`${showJson(JSON.stringify(value, null, 2))}\n`),
  }
}
