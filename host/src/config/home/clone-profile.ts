import { cpSync, existsSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { fileReason } from '#kernel/read-text.ts'
import type { Home } from './home.ts'

/** What a plain clone takes over: settings, secrets, identity, skills, and what is remembered of the owner. Of others nothing goes along. */
const settled = [
  ...['config.yaml', '.env', 'SOUL.md', 'skills', 'skill-bundles', 'memories/MEMORY.md', 'memories/USER.md'],
  '.no-bundled-skills',
]

/** What belongs to the past or to the running program of one home: no other home has it. */
const own = new Set([
  ...['backups', 'snapshots', 'checkpoints', 'cron', 'logs', 'cache', 'terminal-sessions', 'chats'],
  ...['profiles', 'active_profile', 'gateway_state.json', 'gateway.pid', 'pending'],
])

/** Whether another home may take over what is called so. */
export function isHeirloom(name: string): boolean {
  return !own.has(name) && !name.startsWith('state.db') && !/\.(?:lock|tmp|sock)$/.test(name)
}

/** The names in a home that another home may take over, in order. */
export function listHeirlooms(home: Pick<Home, 'path'>, extent: 'settled' | 'all'): readonly string[] {
  if (extent === 'settled') return settled.filter((name) => existsSync(join(home.path, name)))
  return readdirSync(home.path).filter(isHeirloom).sort()
}

/** Copies them into a folder; links stay links, and what is neither file nor folder stays behind. */
export function cloneProfile(home: Pick<Home, 'path'>, folder: string, extent: 'settled' | 'all'): void {
  try {
    for (const name of listHeirlooms(home, extent)) {
      cpSync(join(home.path, name), join(folder, name), { recursive: true, verbatimSymlinks: true, filter: isCopied })
    }
  } catch (error) {
    throw fail('HOME_UNUSABLE', { path: folder, reason: fileReason(error) }, { cause: error })
  }
}

function isCopied(path: string): boolean {
  const about = lstatSync(path)
  return about.isFile() || about.isDirectory() || about.isSymbolicLink()
}
