import { fail } from '@agent/plugin-sdk/errors'
import { type Command, CommanderError } from 'commander'

/** Lets commander parse and run; its own complaints become usage errors. */
export async function runCommander(command: Command, words: readonly string[]): Promise<void> {
  const all = [command, ...subcommands(command)]
  for (const each of all) each.exitOverride().configureOutput({ writeErr: () => undefined })
  try {
    await command.parseAsync([...words], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return
    throw fail('USAGE', { problem: sentence(error.message), try: `agent ${command.name()} --help` }, { cause: error })
  }
}

function subcommands(command: Command): readonly Command[] {
  return command.commands.flatMap((each) => [each, ...subcommands(each)])
}

function sentence(message: string): string {
  const text = message.replace(/^error: /, '')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!)]$/.test(text) ? '' : '.'}`
}
