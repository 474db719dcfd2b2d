import { fail } from '@agent/plugin-sdk/errors'
import { type CommandName, missingCommands } from '#commands/command-names.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import { commands } from './command-table.ts'
import type { Cli } from './console/cli.ts'
import { formHints } from './console/own-command.ts'
import { reportError } from './report-error.ts'
import { takeLeadingProfile, takeProfile } from './take-profile.ts'

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
