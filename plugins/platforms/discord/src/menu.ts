import type { Call, Command } from '@agent/plugin-sdk'
import { type Api, refuse } from './api.ts'
import type { CommandSync } from './settings.ts'
import { readCommands, type WireCommand } from './wire.ts'

const mostCommands = 100
const textOption = 3

/** Brings the menu of the bot up to date. */
export function createMenu(
  api: Pick<Api, 'ask'>,
  application: string,
  sync: CommandSync,
): (commands: readonly Command[], call: Call) => Promise<void> {
  const path = `/applications/${application}/commands`
  return async (commands, { signal }) => {
    if (sync === 'off') return
    const wanted = commands.slice(0, mostCommands).map(formatCommand)
    if (sync === 'safe') {
      const answer = await api.ask('GET', path, { signal })
      if (answer.ok && isSame(readCommands(answer.body) ?? [], wanted)) return
    }
    const answer = await api.ask('PUT', path, { signal, json: wanted })
    if (!answer.ok) throw refuse(answer)
  }
}

function formatCommand({ name, summary, args }: Command): WireCommand {
  const description = cut(summary)
  if (args === '') return { name, description }
  return {
    name,
    description,
    options: [{ type: textOption, name: 'args', description: cut(args), required: false } as { name: string; description: string }],
  }
}

const cut = (text: string): string => [...text].slice(0, 100).join('') || '…'

function isSame(there: readonly WireCommand[], wanted: readonly WireCommand[]): boolean {
  const describe = (commands: readonly WireCommand[]): string =>
    commands
      .map(({ name, description, options = [] }) => JSON.stringify([name, description, options.map((option) => option.description)]))
      .sort()
      .join('\n')
  return describe(there) === describe(wanted)
}
