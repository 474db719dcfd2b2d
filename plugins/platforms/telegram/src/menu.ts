import type { Command, Connection } from '@agent/plugin-sdk'
import type { BotApi } from './bot-api.ts'
import { results } from './wire.ts'

export interface Menu {
  readonly setCommands: NonNullable<Connection['setCommands']>
  /** The name of a command as the agent knows it. */
  commandOf(menuName: string): string
}

const longestSummary = 256

/** Telegram takes letters, digits and `_` in the name of a command, so that others are written with `_` and read back. */
export function createMenu(api: BotApi, mostCommands: number): Menu {
  let names: ReadonlyMap<string, string> = new Map()
  return {
    setCommands: async (commands, { signal }) => {
      const shown = commands.slice(0, mostCommands).map((command) => [formatName(command), command] as const)
      names = new Map(shown.map(([menuName, { name }]) => [menuName, name]))
      const list = [...new Map(shown)].map(([command, { summary, name }]) => ({
        command,
        description: (summary || name).slice(0, longestSummary),
      }))
      await api.ask('setMyCommands', { commands: list }, results.anything, signal)
    },
    commandOf: (menuName) => names.get(menuName) ?? menuName,
  }
}

const formatName = ({ name }: Command): string => name.toLowerCase().replaceAll('-', '_').slice(0, 32)
