import type { InboundMessage } from '@agent/plugin-sdk'
import type { PlatformSettings } from '#config/platform-settings.ts'
import { isListed, isRoom } from './find-ground.ts'

type Who = Pick<InboundMessage, 'sender' | 'conversation'>
type TierSettings = Pick<
  PlatformSettings,
  'allow_admin_from' | 'group_allow_admin_from' | 'user_allowed_commands' | 'group_user_allowed_commands'
>

/** What everybody who is let in may do. */
const floor: ReadonlySet<string> = new Set(['help', 'whoami'])

/** Rooms have their own admin list; where it is empty the other one counts. */
export function isAdmin(settings: TierSettings, who: Who): boolean {
  return isListed(who.sender, adminsOf(settings, who))
}

/** Whether anybody is an admin there. */
export function hasAdmin(settings: TierSettings, where: Pick<Who, 'conversation'>): boolean {
  return adminsOf(settings, where).length > 0
}

/** Whether somebody may give a command, which may have several names. Where no admin is named, everybody who is let in may give all. */
export function mayCommand(settings: TierSettings, who: Who, ...names: readonly string[]): boolean {
  if (!hasAdmin(settings, who) || names.some((name) => floor.has(name)) || isAdmin(settings, who)) return true
  const { user_allowed_commands: direct, group_user_allowed_commands: room } = settings
  const allowed = isRoom(who) && room.length > 0 ? room : direct
  return allowed.some((name) => name === '*' || names.includes(name.trim().replace(/^\//, '').toLowerCase()))
}

/** In words, for the person themselves. */
export function describeTier(settings: TierSettings, who: Who): string {
  if (!hasAdmin(settings, who)) return 'may use every command (no admin is named)'
  return isAdmin(settings, who) ? 'are an admin' : 'are a user'
}

function adminsOf(
  { allow_admin_from: direct, group_allow_admin_from: room }: TierSettings,
  who: Pick<Who, 'conversation'>,
): readonly string[] {
  const list = isRoom(who) && room.length > 0 ? room : direct
  return list.filter((name) => name.trim() !== '')
}
