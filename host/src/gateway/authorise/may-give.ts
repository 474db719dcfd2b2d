import { isAdmin, mayCommand } from './user-tiers.ts'

type Settings = Parameters<typeof mayCommand>[0]
type Who = Parameters<typeof mayCommand>[1]

/** A command, as far as it matters who gives it. */
export interface GuardedCommand {
  readonly name: string
  readonly aliases: readonly string[]
  readonly adminOnly?: true
  readonly knownOnly?: true
}

/** Whether somebody may give this very command; `isKnown`: the owner has let in this very person. */
export function mayGive(settings: Settings, who: Who, command: GuardedCommand, isKnown: () => boolean): boolean {
  if (isAdmin(settings, who)) return true
  if (command.adminOnly || (command.knownOnly && !isKnown())) return false
  return mayCommand(settings, who, command.name, ...command.aliases)
}
